#include "lib/diagnose/diagnose.h"

#include "lib/diagnose/consequences.h"
#include "lib/diagnose/hypothesis.h"
#include "lib/diagnose/wrong_output.h"

namespace ropewalk {

namespace {

std::vector<Cause> causes_by(const std::vector<Hypothesis>& hypotheses, const Finding& finding, const Scene& scene) {
  std::vector<Cause> causes;
  for (const Hypothesis hypothesis : hypotheses) {
    if (auto cause = hypothesis(finding, scene)) causes.push_back(std::move(*cause));
  }
  return causes;
}

// Of the sorts of hypotheses the first that has any that fits: what is predicted to the element, then what reproduces a
// whole output, then what is guessed.
std::vector<Cause> causes_of(const Finding& finding, const Scene& scene) {
  std::vector<Cause> causes = causes_by(exact_hypotheses(), finding, scene);
  if (causes.empty()) causes = causes_of_output(finding, scene);
  if (causes.empty()) causes = causes_by(guessing_hypotheses(), finding, scene);
  return causes;
}

}  // namespace

void diagnose(std::vector<Finding>& findings, const Launch& launch, const Problem* problem,
              const std::vector<TensorAfter>& tensors) {
  const Scene scene{findings, launch, problem, tensors};
  for (Finding& finding : findings) {
    if (finding.cause) continue;
    std::vector<Cause> causes = causes_of(finding, scene);
    if (causes.size() == 1) {
      finding.cause = std::move(causes.front());
      continue;
    }
    for (const Cause& cause : causes) finding.evidence.push_back("may be " + cause.id + ": " + cause.text);
  }
  for (Finding& finding : findings) {
    if (!finding.cause) finding.cause = cause_of_race(finding, scene);
  }
  for (Finding& finding : findings) {
    if (!finding.cause) finding.cause = cause_of_raced_output(finding, scene);
  }
}

}  // namespace ropewalk
