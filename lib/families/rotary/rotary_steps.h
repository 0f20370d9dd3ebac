// The steps that make a rotary problem smaller.
#pragma once
#include <vector>

#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

std::vector<RotaryProblem> smaller_problems_of(const RotaryProblem& problem);

}  // namespace ropewalk::rotary
