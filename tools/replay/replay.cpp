#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/base/stopwatch.h"
#include "lib/finding/merge.h"
#include "lib/ptx/write.h"
#include "reports/json.h"
#include "tools/commands/examine.h"
#include "tools/commands/planned_cases.h"
#include "tools/parse/parse.h"
#include "tools/run/run.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

std::vector<Finding> findings_of(const Report& report, const ReplayOptions& options) {
  std::vector<Finding> asked;
  std::string known;
  for (const Finding& finding : report.findings) {
    known += (known.empty() ? "" : ", ") + finding.id;
    if (options.finding.empty() || finding.id == options.finding) asked.push_back(finding);
  }
  if (asked.empty() && !options.finding.empty()) {
    throw InputError(InputLocation{options.report}, fmt::format("no finding has the id {}; there are: {}",
                                                                options.finding, known.empty() ? "none" : known));
  }
  return asked;
}

// The request of a finding's command, with the executor and jobs of ours.
Request request_of(const Finding& finding, const ReplayOptions& options, const Request& ours) {
  std::vector<std::string> words = split_line(finding.replay);
  const Program& program = *ours.shared.program;
  if (words.size() < 2 || words[0] != program.name || words[1] == "replay") {
    throw InputError(InputLocation{options.report},
                     fmt::format("finding {} has no command of {} that shows it again", finding.id, program.name));
  }
  Request request = parse_command_line({words.begin() + 1, words.end()}, program);
  if (!checks_something(request.command)) {
    throw InputError(InputLocation{options.report},
                     fmt::format("finding {} has a command that checks nothing: {}", finding.id, finding.replay));
  }
  request.shared.jobs = ours.shared.jobs;
  request.shared.executor = ours.shared.executor;
  request.shared.quiet = true;
  return request;
}

// The hash of the PTX that the kernel has today; empty where its launch is not made.
std::string hash_of_today(const Finding& finding, const Request& request) {
  try {
    if (const auto* campaign = std::get_if<FuzzOptions>(&request.command)) {
      return ptx::hash_of(
          *kernels::kernel_named(finding.kernel_name).launch(families::parse_problem(campaign->one_case)).module);
    }
    const auto hash = [](const Plan& plan) {
      // A file that cannot be read has no launch.
      if (plan.cases.empty() || !plan.cases.front().launch.module) return std::string();
      return ptx::hash_of(*plan.cases.front().launch.module);
    };
    if (const auto* one = std::get_if<KernelOptions>(&request.command)) return hash(plan_of(*one, request.shared));
    if (const auto* files = std::get_if<LaunchOptions>(&request.command)) return hash(plan_of(*files, request.shared));
    return "";
  } catch (const InputError&) {
    return "";
  }
}

// The finding among those of its case: of the same id, and of the same cause where there is one of that.
const Finding* find_again(const Finding& finding, const std::vector<Finding>& seen) {
  const auto same = [&](const Finding& one) { return same_defect(one, finding); };
  const auto like = [&](const Finding& one) { return defect_id(one) == defect_id(finding); };
  auto at = std::find_if(seen.begin(), seen.end(), same);
  if (at == seen.end()) at = std::find_if(seen.begin(), seen.end(), like);
  return at == seen.end() ? nullptr : &*at;
}

// What came of a finding's command.
struct Run {
  Request request;
  Report report;
  std::string unreadable;  // why it could not be run at all; empty: it could
};

Run run_again(const Finding& finding, const ReplayOptions& options, const Request& ours) {
  Run run;
  try {
    run.request = request_of(finding, options, ours);
    settle_root(run.request);
    run.report = examine(run.request);
  } catch (const InputError& error) {
    run.unreadable = error.what();
  }
  return run;
}

// A check counts where one of the runs made it.
void add_checks(reports::Coverage& coverage, const reports::Coverage& of_run) {
  for (const std::string& check : of_run.checks) {
    if (std::find(coverage.checks.begin(), coverage.checks.end(), check) == coverage.checks.end())
      coverage.checks.push_back(check);
  }
}

}  // namespace

Report examine(const ReplayOptions& options, const Request& request) {
  const Stopwatch watch;
  const Report before = reports::parse_json_report(MappedFile(options.report).text(), options.report);
  Report report = new_report(request, before.seed);
  std::map<std::string, Run> runs;  // by command: a case may show several findings
  for (const Finding& finding : findings_of(before, options)) {
    ++report.summary.cases;
    const auto [known, is_new] = runs.try_emplace(finding.replay);
    if (is_new) known->second = run_again(finding, options, request);
    const Report& run = known->second.report;
    if (!known->second.unreadable.empty()) {
      report.not_run.push_back(
          {"finding " + finding.id, known->second.unreadable, finding.replay, reports::NotRunFault::Input});
      continue;
    }
    const Request& again = known->second.request;
    const std::string today = finding.ptx_hash.empty() ? "" : hash_of_today(finding, again);
    if (!today.empty() && today != finding.ptx_hash) {
      report.notes.push_back(fmt::format("{} has changed since finding {} was made: its PTX was {} and is {}",
                                         finding.kernel_name, finding.id, finding.ptx_hash, today));
    }
    if (const Finding* seen = find_again(finding, run.findings)) {
      Finding shown = *seen;
      shown.waiver.reset();  // what the atlas expects is shown all the same
      shown.minimal_case = finding.minimal_case;
      shown.related = finding.related;
      merge_case(report.findings, std::move(shown));
      continue;
    }
    for (const reports::NotRunCase& left : run.not_run) report.not_run.push_back(left);
    if (!run.not_run.empty()) continue;
    ++report.summary.passed;
    report.notes.push_back(fmt::format("finding {} does not show any more: {}", finding.id, finding.replay));
  }
  // What was done again says where: no machine runs for a cache or a caller.
  const auto ran = [](const auto& one) {
    return one.second.unreadable.empty() && one.second.report.executor != "none";
  };
  if (!runs.empty() && std::ranges::none_of(runs, ran)) report.executor = "none";
  for (const auto& [command, run] : runs) add_checks(report.coverage, run.report.coverage);
  return finished(std::move(report), request, watch);
}

}  // namespace ropewalk::tools
