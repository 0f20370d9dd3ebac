// The wrong hypotheses of attention problems, by design of one mistake each.
#pragma once
#include <vector>

#include "lib/diagnose/output_hypothesis.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

// Of out, lse, and gradients.
std::vector<diagnose::OutputHypothesis> attention_hypotheses(const LaunchTensor& output,
                                                             const AttentionProblem& problem,
                                                             const diagnose::Scene& scene);
// Those of a merge of attention's parts.
std::vector<diagnose::OutputHypothesis> merge_hypotheses(const LaunchTensor& output, const AttentionProblem& problem,
                                                         const diagnose::Scene& scene);

}  // namespace ropewalk::attention
