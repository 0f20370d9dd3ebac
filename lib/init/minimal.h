// A smallest plan that still fails.
#pragma once
#include <string>

#include "lib/init/state.h"

namespace ropewalk::init {

struct MinimalPlan {
  Plan plan;
  bool is_smallest = true;  // false: the search for it was cut
};

// Fewer ranks and fewer events, as long as some order still fails by this cause at the same event, and the same event
// is blamed: taking away one more event, or one more rank, would leave none.
MinimalPlan minimal_plan(const Plan& plan, const Kernels& kernels, const Failure& failure);

// "1 rank: construct -> to_empty -> forward".
std::string in_words(const Plan& plan);

}  // namespace ropewalk::init
