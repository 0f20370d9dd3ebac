#include "tools/run/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/finding/merge.h"
#include "tools/run/executor.h"
#include "tools/run/save_outputs.h"

namespace ropewalk {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What came of one case, without the tensors.
struct CaseResult {
  bool run = false;
  std::string not_run;  // why it did not run, or not to its end
  std::vector<Finding> findings;
  Statistics statistics;
  std::vector<std::string> printed;
};

RunOptions run_options_of(const SharedOptions& shared, u32 threads) {
  RunOptions options;
  options.checks = shared.checks;
  options.strict = shared.strict;
  options.block_order_seed = shared.block_order;
  options.threads = threads;
  if (shared.budget.seconds) options.seconds = *shared.budget.seconds;
  return options;
}

CaseResult run_case(const Case& one, Executor& executor, const RunOptions& options) {
  Outcome outcome = executor.run(one.launch, options);
  if (options.checks.has(Check::Outputs)) judge_outputs(one.launch, outcome);
  diagnose(outcome.findings, one.launch, one.problem ? &*one.problem : nullptr);
  if (!one.save_outputs.empty()) save_outputs(one.save_outputs, one.launch, outcome);
  CaseResult result;
  result.run = true;
  if (outcome.kind == OutcomeKind::NotRun) result.not_run = outcome.reason;
  result.findings = std::move(outcome.findings);
  for (Finding& finding : result.findings) {
    if (finding.id.empty()) identify(finding);
    finding.case_text = one.text;
    finding.replay = one.replay;
  }
  result.statistics = outcome.statistics;
  result.printed = std::move(outcome.printed);
  return result;
}

// Runs all cases, each on one thread where there are several, else one on all threads. An exception is handed on; of
// several, that of the first case.
std::vector<CaseResult> run_cases(const Plan& plan, const SharedOptions& shared) {
  const u32 jobs = shared.jobs ? shared.jobs : std::max(1u, std::thread::hardware_concurrency());
  const size_t count = plan.cases.size();
  const size_t workers = std::min<size_t>(jobs, count);
  std::vector<CaseResult> results(count);
  std::vector<std::exception_ptr> errors(count);
  std::atomic<size_t> next = 0;
  const Clock::time_point start = Clock::now();
  const auto work = [&] {
    const std::unique_ptr<Executor> executor = make_executor(shared.executor);
    const RunOptions options = run_options_of(shared, workers > 1 ? 1 : jobs);
    for (size_t n = next++; n < count; n = next++) {
      if (n > 0 && shared.budget.seconds && seconds_since(start) >= *shared.budget.seconds) {
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

void add(Report& report, const Case& one, CaseResult&& result) {
  const SeverityCounts counts = count_severities(result.findings);
  if (result.run && result.not_run.empty() && counts.errors == 0) ++report.summary.passed;
  if (!result.not_run.empty()) report.not_run.push_back({one.text, result.not_run, one.replay});
  for (Finding& finding : merged_in_case(std::move(result.findings))) merge_case(report.findings, std::move(finding));
  report.coverage.blocks += result.statistics.blocks;
  report.coverage.blocks_total += result.statistics.blocks_total;
  report.coverage.thread_instructions += result.statistics.thread_instructions;
  for (std::string& line : result.printed) report.printed.push_back(std::move(line));
}

bool is_sample(const Plan& plan) {
  return std::any_of(plan.cases.begin(), plan.cases.end(), [](const Case& one) { return one.launch.blocks.count > 0; });
}

std::string sample_note(const Coverage& coverage) {
  return std::to_string(coverage.blocks) + " of " + std::to_string(coverage.blocks_total) +
         " blocks were run; outputs that no block wrote are not reported";
}

}  // namespace

Report run(const Plan& plan, const Request& request) {
  const Clock::time_point start = Clock::now();
  const SharedOptions& shared = request.shared;
  Report report;
  report.tool = "rope-check";
  report.version = ROPEWALK_VERSION;
  report.command = request.command_line;
  report.seed = shared.seed.value_or(plan.seed);
  report.executor = name_of(shared.executor);
  report.summary.cases = plan.cases.size();
  report.notes = plan.notes;
  for (const Check check : all_checks()) {
    if (shared.checks.has(check)) report.coverage.checks.emplace_back(name_of(check));
  }
  const std::string unavailable = why_unavailable(shared.executor);
  if (unavailable.empty()) {
    std::vector<CaseResult> results = run_cases(plan, shared);
    for (size_t n = 0; n < results.size(); ++n) add(report, plan.cases[n], std::move(results[n]));
  } else {
    for (const Case& one : plan.cases) report.not_run.push_back({one.text, unavailable, one.replay});
  }
  if (is_sample(plan) && report.coverage.blocks < report.coverage.blocks_total)
    report.notes.push_back(sample_note(report.coverage));
  conclude(report, shared.strict);
  report.duration_s = seconds_since(start);
  return report;
}

}  // namespace ropewalk
