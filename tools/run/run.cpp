#include "tools/run/run.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/finding/merge.h"
#include "tools/parse/parse.h"
#include "tools/run/executor.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

// Adds a finding of a case. One that an earlier case has as well names this case.
void add_finding(std::vector<Finding>& findings, Finding&& finding, const Case& one) {
  constexpr u64 most = 20;
  const auto known = std::ranges::find_if(findings, [&](const Finding& it) { return same_defect(it, finding); });
  if (known != findings.end() && known->occurrences.cases <= most)
    known->evidence.push_back("also in " + one.text + (one.replay.empty() ? "" : ": " + one.replay));
  merge_case(findings, std::move(finding));
}

void add(Report& report, const Case& one, CaseResult&& result) {
  const reports::SeverityCounts counts = reports::count_severities(result.findings);
  if (result.run && result.not_run.empty() && counts.errors == 0) ++report.summary.passed;
  if (!result.not_run.empty()) report.not_run.push_back({one.text, result.not_run, one.replay, result.fault});
  for (Finding& finding : merged_in_case(std::move(result.findings)))
    add_finding(report.findings, std::move(finding), one);
  report.coverage.blocks += result.statistics.blocks;
  report.coverage.blocks_total += result.statistics.blocks_total;
  report.coverage.thread_instructions += result.statistics.thread_instructions;
  for (DeviceRun& run : result.device_runs) report.device_runs.push_back({one.text, std::move(run)});
  if (!result.no_device_runs.empty()) {
    const std::string note = "kernel activity not recorded: " + result.no_device_runs;
    if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end()) report.notes.push_back(note);
  }
  for (std::string& note : result.notes) {
    if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
      report.notes.push_back(std::move(note));
  }
  for (std::string& line : result.printed) report.printed.push_back(std::move(line));
}

bool is_sample(const Plan& plan) {
  return std::any_of(plan.cases.begin(), plan.cases.end(), [](const Case& one) { return one.launch.blocks.count > 0; });
}

std::string sample_note(const reports::Coverage& coverage) {
  return std::to_string(coverage.blocks) + " of " + std::to_string(coverage.blocks_total) +
         " blocks were run; outputs that no block wrote are not reported";
}

}  // namespace

Report blank_report(const Request& request, u64 seed) {
  Report report;
  report.tool = request.shared.program->name;
  report.version = ROPEWALK_VERSION;
  report.command = request.command_line;
  report.seed = request.shared.seed.value_or(seed);
  return report;
}

Report new_report(const Request& request, u64 seed) {
  const SharedOptions& shared = request.shared;
  Report report = blank_report(request, seed);
  report.executor = name_of(shared.executor);
  const CheckSet possible = checks_of(shared.executor);
  std::string left_out;
  bool some_left = shared.checks.bits() == 0;
  for (const Check check : all_checks()) {
    if (!shared.checks.has(check)) continue;
    if (possible.has(check))
      some_left = true;
    else
      left_out += (left_out.empty() ? "" : ", ") + std::string(name_of(check));
  }
  if (!left_out.empty()) {
    const std::string text = "the executor " + report.executor + " cannot check " + left_out;
    if (!some_left) throw InputError("--checks: " + text);
    report.notes.push_back(text);
  }
  return report;
}

Report finished(Report report, const Request& request, const Stopwatch& watch) {
  for (Finding& finding : report.findings) {
    if (finding.replay.empty()) finding.replay = check_line(request.command_line);
    if (finding.id.empty()) identify(finding);
  }
  reports::conclude(report, request.shared.strict);
  report.duration_s = watch.seconds();
  return report;
}

Report report_of(Answer answer, const std::string& executor, std::vector<std::string> checks, const Request& request,
                 const Stopwatch& watch) {
  Report report = blank_report(request, 1);
  report.executor = executor;
  report.summary.cases = answer.cases;
  report.summary.passed = answer.passed;
  report.coverage.checks = std::move(checks);
  report.findings = std::move(answer.findings);
  report.notes = std::move(answer.notes);
  for (const auto& [what, reason] : answer.not_judged)
    report.not_run.push_back({what, reason, check_line(request.command_line)});
  return finished(std::move(report), request, watch);
}

Report report_of(const Plan& plan, std::vector<CaseResult> results, const Request& request, const Stopwatch& watch) {
  Report report = new_report(request, plan.seed);
  report.summary.cases = plan.cases.size();
  report.notes.insert(report.notes.end(), plan.notes.begin(), plan.notes.end());
  std::vector<MadeChecks> checks;
  for (size_t n = 0; n < results.size(); ++n) {
    if (results[n].run) checks.push_back(std::move(results[n].checks));
    add(report, plan.cases[n], std::move(results[n]));
  }
  tell_checks(report.coverage, checks);
  if (is_sample(plan) && report.coverage.blocks < report.coverage.blocks_total)
    report.notes.push_back(sample_note(report.coverage));
  return finished(std::move(report), request, watch);
}

Report run(const Plan& plan, const Request& request) {
  const Stopwatch watch;
  return report_of(plan, run_cases(plan, request.shared), request, watch);
}

}  // namespace ropewalk::tools
