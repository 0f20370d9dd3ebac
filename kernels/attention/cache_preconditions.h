// What attention kernels ask of a cache: key lengths, pages and splits.
#pragma once
#include "kernels/attention/attention_preconditions.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {

inline constexpr i64 most_splits = 128;

// Those of attention_reasons that speak of them, each in a sentence of its own.
std::vector<std::string> cache_reasons(const AttentionProblem& problem, const AttentionTakes& takes);

}  // namespace ropewalk::kernels
