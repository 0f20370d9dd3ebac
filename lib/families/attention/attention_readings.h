// The wrong readings of attention problems, by design of one mistake each.
#pragma once
#include <vector>

#include "lib/diagnose/reading.h"
#include "lib/problem/attention.h"

namespace ropewalk {

// Of out, lse, and gradients.
std::vector<Reading> attention_readings(const LaunchTensor& output, const AttentionProblem& problem,
                                        const Scene& scene);
// Those of a merge of attention's parts.
std::vector<Reading> merge_readings(const LaunchTensor& output, const AttentionProblem& problem, const Scene& scene);

}  // namespace ropewalk
