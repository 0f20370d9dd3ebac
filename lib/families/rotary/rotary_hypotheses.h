// The wrong hypotheses of rotary problems.
#pragma once
#include <vector>

#include "lib/diagnose/output_hypothesis.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

// Of x or out, q or k, and of cos and sin where the launch builds them.
std::vector<diagnose::OutputHypothesis> rotary_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                          const diagnose::Scene& scene);

// Their kinds: of the rotation's numbers, of the offsets of x and out in memory, of the tables that are built.
std::vector<diagnose::OutputHypothesis> rotation_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                            const diagnose::Scene& scene);
std::vector<diagnose::OutputHypothesis> offset_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                          const diagnose::Scene& scene);
std::vector<diagnose::OutputHypothesis> cache_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                         const diagnose::Scene& scene);

}  // namespace ropewalk::rotary
