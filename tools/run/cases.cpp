#include "tools/run/cases.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/ptx/write.h"
#include "tools/run/executor.h"
#include "tools/run/save_outputs.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {

using reports::NotRunFault;

namespace {

// Outputs that cannot be saved do not cost what was found.
void save_outputs_of(const Case& one, const Outcome& outcome, CaseResult& result) {
  try {
    save_outputs(one.save_outputs, one.launch, outcome);
  } catch (const InputError& error) {
    if (!result.not_run.empty()) result.not_run += "; ";
    result.not_run += std::string("its outputs are not saved: ") + error.what();
    result.fault = NotRunFault::Input;
  }
}

CaseResult run_case(const Case& one, Executor& executor, const RunOptions& options, const SharedOptions& shared) {
  const Stopwatch watch;
  Outcome outcome = executor.run(one.launch, options);
  if (options.checks.has(Check::Outputs)) compare::judge_outputs(one.launch, outcome);
  diagnose::diagnose(outcome.findings, one.launch, one.family, one.problem ? &*one.problem : nullptr, outcome.tensors);
  CaseResult result;
  result.run = true;
  result.checks = checks_made(shared, one.launch);
  if (outcome.kind == OutcomeKind::NotRun) result.not_run = outcome.reason;
  if (!one.save_outputs.empty()) save_outputs_of(one, outcome, result);
  result.findings = std::move(outcome.findings);
  const std::string hash = result.findings.empty() || !one.launch.module ? "" : ptx::hash_of(*one.launch.module);
  for (Finding& finding : result.findings) {
    if (finding.id.empty()) identify(finding);
    finding.ptx_hash = hash;
    finding.case_text = one.text;
    finding.replay = one.replay;
  }
  result.statistics = outcome.statistics;
  result.printed = std::move(outcome.printed);
  result.device_runs = std::move(outcome.device_runs);
  result.no_device_runs = std::move(outcome.no_device_runs);
  result.notes = std::move(outcome.notes);
  result.seconds = watch.seconds();
  return result;
}

// The same for whatever happens.
CaseResult result_of(const Case& one, Executor& executor, const RunOptions& options, const SharedOptions& shared) {
  CaseResult failed;
  try {
    return run_case(one, executor, options, shared);
  } catch (const InputError& error) {
    failed.not_run = error.what();
    failed.fault = NotRunFault::Input;
  } catch (const std::bad_alloc&) {
    failed.not_run = "out of memory";
    failed.fault = NotRunFault::Ropewalk;
  } catch (const std::exception& error) {
    failed.not_run = error.what();
    failed.fault = NotRunFault::Ropewalk;
  }
  return failed;
}

}  // namespace

RunOptions run_options_of(const SharedOptions& shared, u32 threads) {
  RunOptions options;
  options.checks = shared.checks;
  options.strict = shared.strict;
  options.fp_contract = shared.fp_contract;
  options.block_order_seed = shared.block_order;
  options.schedule = shared.schedule;
  options.threads = threads;
  if (shared.budget.seconds) options.seconds = *shared.budget.seconds;
  options.source_lines = [paths = std::make_shared<SourcePaths>(shared.root, shared.maps),
                          lines = source_lines_of(shared)](const std::string& file, u64 line) {
    return lines(paths->of_source(file), line);
  };
  return options;
}

std::vector<CaseResult> run_cases(const Plan& plan, const SharedOptions& shared) {
  const u32 jobs = threads_for(shared.jobs);
  const size_t count = plan.cases.size();
  const size_t workers = std::min<size_t>(jobs, count);
  std::vector<CaseResult> results(count);
  if (const std::string unavailable = why_unavailable(shared.executor); !unavailable.empty()) {
    for (CaseResult& result : results) result.not_run = unavailable;
    return results;
  }
  std::atomic<size_t> next = 0;
  const Stopwatch watch;
  on_workers(u32(workers), [&](u32) {
    const BusyCore busy;
    const std::unique_ptr<Executor> executor = make_executor(shared);
    const RunOptions options = run_options_of(shared, workers > 1 ? 1 : jobs);
    for (size_t n = next++; n < count; n = next++) {
      if (!plan.cases[n].unreadable.empty()) {
        results[n].not_run = plan.cases[n].unreadable;
        results[n].fault = NotRunFault::Input;
      } else if (n > 0 && shared.budget.seconds && watch.seconds() >= *shared.budget.seconds) {
        results[n].not_run = "the time budget was spent";
      } else if (shared.budget.cases && n >= *shared.budget.cases) {
        results[n].not_run = "the budget of cases was spent";
      } else {
        results[n] = result_of(plan.cases[n], *executor, options, shared);
      }
    }
  });
  return results;
}

}  // namespace ropewalk::tools
