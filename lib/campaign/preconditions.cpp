#include "lib/campaign/preconditions.h"

#include <algorithm>

namespace ropewalk::campaign {
namespace {

Finding about_preconditions(const Trial& trial, Rule rule, const std::string& message) {
  Finding finding;
  finding.rule = rule;
  finding.message = message;
  finding.kernel_name = trial.kernel.name;
  identify(finding);
  return finding;
}

}  // namespace

std::optional<Finding> judge_preconditions(const Trial& trial, const std::vector<std::string>& reasons) {
  const auto flaw = std::find_if(trial.flaws.begin(), trial.flaws.end(),
                                 [&](const generate::Flaw& one) { return one.is_in(trial.problem); });
  const bool good = flaw == trial.flaws.end();
  if (good == reasons.empty()) return std::nullopt;
  if (good) {
    Finding finding =
        about_preconditions(trial, Rule::GoodArgumentRejected, "rejects a good problem: " + reasons.front());
    finding.evidence.push_back("none of the known ways to be wrong is in " + text_of(trial.problem));
    return finding;
  }
  Finding finding =
      about_preconditions(trial, Rule::BadArgumentAccepted, "accepts " + flaw->name + ", which it must reject");
  if (!trial.kernel.is_correct()) {
    for (const std::string& reason : trial.kernel.correct->reject(trial.problem)) {
      finding.evidence.push_back(trial.kernel.counterpart + " rejects it: " + reason);
    }
  }
  return finding;
}

}  // namespace ropewalk::campaign
