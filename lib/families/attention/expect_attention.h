// Expectations of attention launches, by the names of their tensors: out and lse, those of their parts,
// or gradients; of a ring those of each rank.
#pragma once
#include "lib/launch/launch.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

// Only for problems that have an answer. Throws InternalError for a launch with other tensors.
void expect_answer_of(const AttentionProblem& problem, Launch& launch);

}  // namespace ropewalk::attention
