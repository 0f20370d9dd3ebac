#include "lib/campaign/examine.h"

#include "lib/campaign/order.h"
#include "lib/campaign/preconditions.h"
#include "lib/campaign/relations.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/finding/merge.h"
#include "lib/ptx/write.h"

namespace ropewalk::campaign {

Examiner::Examiner(std::unique_ptr<Executor> executor, const RunOptions& options)
    : executor_(std::move(executor)), options_(options) {}

Examined Examiner::examine(const Trial& trial, const Depth& depth) {
  Examined examined;
  const std::vector<std::string> reasons = trial.kernel.reject(trial.problem);
  if (auto finding = judge_preconditions(trial, reasons)) examined.findings.push_back(std::move(*finding));
  examined.rejected = !reasons.empty();
  if (!examined.rejected) run(trial, depth, examined);
  examined.findings = merged_in_case(std::move(examined.findings));
  return examined;
}

const std::string& Examiner::hash_of(const std::shared_ptr<const ptx::Module>& module) {
  std::string& hash = hashes_[module];
  if (hash.empty()) hash = ptx::hash_of(*module);
  return hash;
}

void Examiner::run(const Trial& trial, const Depth& depth, Examined& examined) {
  Launch launch = trial.kernel.launch(trial.problem);
  if (trial.blocks) launch.blocks = {trial.blocks, seed_of(trial.problem)};
  const bool compares = depth.reference && options_.checks.has(Check::Outputs) &&
                        compare::expect_answer(trial.kernel, trial.problem, launch).empty();
  RunOptions options = options_;
  options.evidence = depth.causes;
  Outcome outcome = executor_->run(launch, options);
  if (compares) compare::judge_outputs(launch, outcome);
  examined.entry = launch.entry;
  examined.statistics = outcome.statistics;
  examined.notes = std::move(outcome.notes);
  examined.coverage = std::move(outcome.coverage);
  if (outcome.kind == OutcomeKind::NotRun) examined.not_run = outcome.reason;
  if (outcome.kind == OutcomeKind::Agreed && depth.other_order) judge_order(launch, outcome, *executor_, options_);
  if (outcome.kind == OutcomeKind::Agreed && depth.relations && compares && !trial.blocks) {
    judge_relations(trial, launch, outcome, *executor_, options_);
  }
  // What the preconditions let pass wrongly is explained by what came of it.
  outcome.findings.insert(outcome.findings.begin(), examined.findings.begin(), examined.findings.end());
  examined.findings.clear();
  if (outcome.findings.empty()) return;
  if (depth.causes) diagnose::diagnose(outcome.findings, launch, trial.kernel.family, &trial.problem, outcome.tensors);
  const std::string& hash = hash_of(launch.module);
  for (Finding& finding : outcome.findings) {
    if (finding.id.empty()) identify(finding);
    finding.ptx_hash = hash;
    examined.findings.push_back(std::move(finding));
  }
}

}  // namespace ropewalk::campaign
