// Orders one by one.
#pragma once
#include <vector>

#include "lib/init/unit.h"

namespace ropewalk::init {

struct Order {
  std::vector<u8> steps;  // of the unit
  u32 last = 0;           // the state that it ends in
};

struct OrderList {
  std::vector<Order> orders;
  bool complete = true;
};

// Every order of the unit's steps that the constraints allow, as far as `most`. reduced: of orders that differ by the
// exchange of neighbours that cannot influence each other (steps of different ranks) only the one with the lower rank
// first.
OrderList enumerate_orders(const Plan& plan, const Unit& unit, States& states, u64 most, bool reduced);

}  // namespace ropewalk::init
