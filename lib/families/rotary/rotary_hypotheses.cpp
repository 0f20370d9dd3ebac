#include "lib/families/rotary/rotary_hypotheses.h"

#include <utility>

#include "lib/diagnose/rotary_facts.h"

namespace ropewalk {

std::vector<OutputHypothesis> rotary_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                const Scene& scene) {
  if (is_table(output)) return cache_hypotheses(output, problem, scene);
  std::vector<OutputHypothesis> hypotheses = rotation_hypotheses(output, problem, scene);
  for (OutputHypothesis& hypothesis : offset_hypotheses(output, problem, scene))
    hypotheses.push_back(std::move(hypothesis));
  return hypotheses;
}

}  // namespace ropewalk
