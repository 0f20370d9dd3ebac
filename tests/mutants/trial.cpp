#include "tests/mutants/trial.h"

#include <fmt/format.h>

#include <chrono>

#include "lib/base/error.h"
#include "lib/campaign/campaign.h"
#include "lib/machine/machine.h"

namespace ropewalk::mutants {
namespace {

RunOptions options(bool strict) {
  RunOptions options;
  options.threads = 1;
  options.coverage = true;
  options.strict = strict;
  options.budget = u64(1) << 24;  // many times what the longest of the cases needs
  options.seconds = campaign::most_seconds;
  return options;
}

campaign::Depth without_causes(campaign::Depth depth) {
  depth.causes = false;
  return depth;
}

Verdict try_on(const Target& target, const Mutant& mutant, bool strict) {
  const auto start = std::chrono::steady_clock::now();
  const Kernel kernel = with_module(target, mutate(*target.module, mutant));
  campaign::Examiner examiner(machine::make_machine(), options(strict));
  Verdict verdict;
  verdict.strict = strict;
  for (const TargetCase& one : target.cases) {
    ++verdict.cases;
    const campaign::Examined examined =
        examiner.examine({kernel, target.subject->plan().space().flaws, one.planned.problem, one.planned.blocks},
                         without_causes(one.depth));
    for (const Finding& finding : examined.findings) {
      if (finding.severity != Severity::Error) continue;
      verdict.killed_by = finding.rule;
      verdict.message = finding.message;
      verdict.case_text = text_of(one.planned.problem);
      break;
    }
    verdict.not_run = examined.not_run;
    if (verdict.killed_by || !verdict.not_run.empty()) break;
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace

Verdict try_mutant(const Target& target, const Mutant& mutant) {
  Verdict verdict = try_on(target, mutant, false);
  if (verdict.killed_by || !verdict.not_run.empty()) return verdict;
  const Verdict strict = try_on(target, mutant, true);
  return strict.killed_by ? strict : verdict;
}

std::vector<bool> reached_by(const Target& target) {
  campaign::Examiner examiner(machine::make_machine(), options(false));
  BranchCoverage all;
  for (const TargetCase& one : target.cases) {
    const campaign::Examined examined = examiner.examine(
        {target.subject->kernel(), target.subject->plan().space().flaws, one.planned.problem, one.planned.blocks},
        {false, false});
    if (!examined.findings.empty()) {
      throw InternalError(fmt::format("the healthy {}: {}: {}", target.entry, text_of(one.planned.problem),
                                      examined.findings.front().message));
    }
    all.branches.insert(all.branches.end(), examined.coverage.branches.begin(), examined.coverage.branches.end());
  }
  return reached(*target.module, *target.module->entry(target.entry), all);
}

}  // namespace ropewalk::mutants
