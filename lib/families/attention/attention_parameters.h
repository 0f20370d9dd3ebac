// The parameters of attention problems and their values.
#pragma once
#include <vector>

#include "lib/base/random.h"
#include "lib/generate/parts_of.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using AttentionParameter = generate::ParameterOf<AttentionProblem>;

// Of all kernels (where one decodes, few queries against the keys of a cache), and those of what some kernels take
// alone: key lengths, pages, splits, ranks.
std::vector<AttentionParameter> attention_parameters(bool decodes);
std::vector<AttentionParameter> length_parameters();
std::vector<AttentionParameter> page_parameters();  // behind length_parameters
std::vector<AttentionParameter> split_parameters();
std::vector<AttentionParameter> rank_parameters();

}  // namespace ropewalk::attention
