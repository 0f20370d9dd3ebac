// What the contracts of attention kernels ask of a problem.
#pragma once
#include <string>
#include <vector>

#include "lib/problem/attention.h"

namespace ropewalk {

// Why no attention kernel may be launched on the problem, each reason in a sentence of its own; empty: it may.
// `guards_lists`: whether the contents of cu_seqlens are looked at.
std::vector<std::string> attention_reasons(const AttentionProblem& problem, bool guards_lists = true);

}  // namespace ropewalk
