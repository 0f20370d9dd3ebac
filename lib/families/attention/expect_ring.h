// Expectations of ring attention launches: those of the whole sequence, dealt out to the ranks.
#pragma once
#include "lib/launch/launch.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

// As expect_answer_of of attention, for launches whose tensors are those of ranks.
void expect_ring_answer(const AttentionProblem& problem, Launch& launch);

}  // namespace ropewalk::attention
