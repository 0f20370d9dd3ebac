// What one order does, step by step.
#pragma once
#include <string>
#include <vector>

#include "lib/init/unit.h"

namespace ropewalk::init {

// A line a step: "to_empty          cos_sin GARBAGE", the buffers of the rank (within the unit) after it.
std::vector<std::string> trace_of(const Plan& plan, const Unit& unit, States& states, const std::vector<u8>& steps,
                                  u32 rank);

// "build_cache -> to_empty -> forward"
std::string order_text(const Plan& plan, const Unit& unit, const std::vector<u8>& steps);

}  // namespace ropewalk::init
