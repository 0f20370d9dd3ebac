#include "tests/mutants/trial.h"

#include <fmt/format.h>

#include <chrono>

#include "lib/base/error.h"
#include "lib/machine/machine.h"

namespace ropewalk::mutants {
namespace {

RunOptions options() {
  RunOptions options;
  options.threads = 1;
  options.coverage = true;
  options.strict = true;
  options.budget = u64(1) << 22;  // many times what the longest of the cases needs
  return options;
}

Depth without_causes(Depth depth) {
  depth.causes = false;
  return depth;
}

Verdict try_on(const Target& target, const Mutant& mutant, const std::vector<TargetCase>& cases) {
  const auto start = std::chrono::steady_clock::now();
  const KernelFamily family = with_module(target, mutate(*target.module, mutant));
  Examiner examiner(machine::make_machine(), options());
  Verdict verdict;
  for (const TargetCase& one : cases) {
    ++verdict.cases;
    const Examined examined =
        examiner.examine({family, target.subject->plan().space().flaws, one.planned.problem, one.planned.blocks},
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

Verdict try_mutant(const Target& target, const Mutant& mutant) { return try_on(target, mutant, target.cases); }

Verdict try_case(const Target& target, const Mutant& mutant, const std::string& problem, u64 blocks) {
  return try_on(target, mutant, {{{parse_problem(problem), blocks, {}, nullptr}, {}}});
}

std::vector<bool> reached_by(const Target& target) {
  Examiner examiner(machine::make_machine(), options());
  BranchCoverage all;
  for (const TargetCase& one : target.cases) {
    const Examined examined = examiner.examine(
        {target.subject->family(), target.subject->plan().space().flaws, one.planned.problem, one.planned.blocks},
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
