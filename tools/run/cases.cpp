#include "tools/run/cases.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "lib/base/cores.h"
#include "lib/base/stopwatch.h"
#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/ptx/write.h"
#include "tools/run/executor.h"
#include "tools/run/save_outputs.h"

namespace ropewalk {
namespace {

CaseResult run_case(const Case& one, Executor& executor, const RunOptions& options) {
  const Stopwatch watch;
  Outcome outcome = executor.run(one.launch, options);
  if (options.checks.has(Check::Outputs)) judge_outputs(one.launch, outcome);
  diagnose(outcome.findings, one.launch, one.problem ? &*one.problem : nullptr, outcome.tensors);
  if (!one.save_outputs.empty()) save_outputs(one.save_outputs, one.launch, outcome);
  CaseResult result;
  result.run = true;
  if (outcome.kind == OutcomeKind::NotRun) result.not_run = outcome.reason;
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

}  // namespace

RunOptions run_options_of(const SharedOptions& shared, u32 threads) {
  RunOptions options;
  options.checks = shared.checks;
  options.strict = shared.strict;
  options.contract = shared.contract;
  options.block_order_seed = shared.block_order;
  options.threads = threads;
  if (shared.budget.seconds) options.seconds = *shared.budget.seconds;
  return options;
}

std::vector<CaseResult> run_cases(const Plan& plan, const SharedOptions& shared) {
  const u32 jobs = shared.jobs ? shared.jobs : std::max(1u, std::thread::hardware_concurrency());
  const size_t count = plan.cases.size();
  const size_t workers = std::min<size_t>(jobs, count);
  std::vector<CaseResult> results(count);
  if (const std::string unavailable = why_unavailable(shared.executor); !unavailable.empty()) {
    for (CaseResult& result : results) result.not_run = unavailable;
    return results;
  }
  std::vector<std::exception_ptr> errors(count);
  std::atomic<size_t> next = 0;
  const Stopwatch watch;
  const auto work = [&] {
    const BusyCore busy;
    const std::unique_ptr<Executor> executor = make_executor(shared);
    const RunOptions options = run_options_of(shared, workers > 1 ? 1 : jobs);
    for (size_t n = next++; n < count; n = next++) {
      if (n > 0 && shared.budget.seconds && watch.seconds() >= *shared.budget.seconds) {
        results[n].not_run = "the time budget was spent";
      } else if (shared.budget.cases && n >= *shared.budget.cases) {
        results[n].not_run = "the budget of cases was spent";
      } else {
        try {
          results[n] = run_case(plan.cases[n], *executor, options);
        } catch (...) {
          errors[n] = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> threads;
  for (size_t n = 1; n < workers; ++n) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace ropewalk
