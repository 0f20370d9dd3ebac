#include "lib/diagnose/diagnose.h"

#include "lib/diagnose/consequences.h"
#include "lib/diagnose/hypothesis.h"

namespace ropewalk {

void diagnose(std::vector<Finding>& findings, const Launch& launch, const Problem* problem,
              const std::vector<TensorAfter>& tensors) {
  const Scene scene{findings, launch, problem, tensors};
  for (Finding& finding : findings) {
    if (finding.cause) continue;
    std::vector<Cause> causes;
    for (const Hypothesis hypothesis : all_hypotheses()) {
      if (auto cause = hypothesis(finding, scene)) causes.push_back(std::move(*cause));
    }
    if (causes.size() == 1) {
      finding.cause = std::move(causes.front());
      continue;
    }
    for (const Cause& cause : causes) finding.evidence.push_back("may be " + cause.id + ": " + cause.text);
  }
  for (Finding& finding : findings) {
    if (!finding.cause) finding.cause = cause_of_race(finding, scene);
  }
}

}  // namespace ropewalk
