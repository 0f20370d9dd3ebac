// The steps that make an attention problem smaller.
#pragma once
#include <vector>

#include "lib/problem/attention.h"

namespace ropewalk::attention {

std::vector<AttentionProblem> smaller_problems_of(const AttentionProblem& problem);

}  // namespace ropewalk::attention
