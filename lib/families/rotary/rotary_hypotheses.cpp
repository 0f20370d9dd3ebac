#include "lib/families/rotary/rotary_hypotheses.h"

#include <utility>

#include "lib/diagnose/rotary_facts.h"

namespace ropewalk::rotary {

std::vector<diagnose::OutputHypothesis> rotary_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                          const diagnose::Scene& scene) {
  if (diagnose::is_table(output)) return cache_hypotheses(output, problem, scene);
  std::vector<diagnose::OutputHypothesis> hypotheses = rotation_hypotheses(output, problem, scene);
  for (diagnose::OutputHypothesis& hypothesis : offset_hypotheses(output, problem, scene))
    hypotheses.push_back(std::move(hypothesis));
  return hypotheses;
}

}  // namespace ropewalk::rotary
