// Expectations of rotary launches, by the names of their tensors: x and out, q and k, or cos and sin.
#pragma once
#include "lib/launch/launch.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

// Only for problems that have an answer. Throws InternalError for a launch with other tensors.
void expect_answer_of(const RotaryProblem& problem, Launch& launch);

}  // namespace ropewalk::rotary
