#include "tests/gpu/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"

namespace ropewalk {

CheckSet checks_of_accesses() {
  CheckSet checks;
  for (const Check check : {Check::Bounds, Check::Fields, Check::Alignment, Check::Index}) checks.add(check);
  return checks;
}

std::set<std::string> texts_of(const std::vector<Finding>& findings) {
  std::set<std::string> texts;
  for (const Finding& finding : findings) {
    // What came before the end of an endless loop depends on when it was ended.
    if (finding.rule == Rule::Hang) return {"runs without end"};
    texts.insert(fmt::format("{} {} {} times", finding.id, name_of(finding.rule), finding.occurrences.accesses));
  }
  return texts;
}

Rewritten::Rewritten()
    : machine_(gpu::make_instrumented(machine::make_machine())), gpu_(gpu::make_instrumented(gpu::make_gpu())) {}

void Rewritten::compare(const Launch& launch, const std::string& what, Tally& tally) {
  RunOptions options;
  options.checks = checks_of_accesses();
  options.checks.add(Check::Hang);
  options.checks.add(Check::Limits);
  options.fp_contract = true;
  const Outcome here = machine_->run(launch, options), there = gpu_->run(launch, options);
  if (here.kind == OutcomeKind::NotRun || there.kind == OutcomeKind::NotRun) {
    tally.leave_out(here.kind == OutcomeKind::NotRun ? here.reason : there.reason);
    return;
  }
  ++tally.compared;
  const auto ours = texts_of(here.findings), theirs = texts_of(there.findings);
  if (ours == theirs) return;
  tally.differences.push_back(fmt::format("{}: the machine's kernel records {}; the GPU's {}", what, ours, theirs));
}

}  // namespace ropewalk
