// The parameters of attention problems and their values.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/problem/attention.h"

namespace ropewalk {

struct AttentionParameter {
  std::string name;
  std::vector<std::string> values;  // [0] is the plainest
  // Sets the value with that number, or draws one. Parameters are set in their order.
  std::function<void(AttentionProblem&, u32 value, Random&)> set;
};

// Of all kernels (where one decodes, few queries against the keys of a cache), and those of what some kernels take
// alone: key lengths, pages, splits, ranks.
std::vector<AttentionParameter> attention_parameters(bool decodes);
std::vector<AttentionParameter> length_parameters();
std::vector<AttentionParameter> page_parameters();  // behind length_parameters
std::vector<AttentionParameter> split_parameters();
std::vector<AttentionParameter> rank_parameters();

}  // namespace ropewalk
