#include "tools/atlas/atlas.h"

#include <fmt/format.h>

#include <chrono>

#include "kernels/family.h"
#include "lib/campaign/examine.h"
#include "lib/generate/spaces.h"
#include "tools/atlas/judge.h"
#include "tools/atlas/table.h"
#include "tools/commands/plan.h"
#include "tools/parse/parse.h"
#include "tools/run/excuse.h"
#include "tools/run/executor.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"

namespace ropewalk {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<const AtlasEntry*> entries_of(const AtlasOptions& options) {
  std::vector<const AtlasEntry*> entries;
  for (const std::string& row : options.rows) {
    for (const AtlasEntry* entry : atlas_row(row)) entries.push_back(entry);
  }
  if (options.rows.empty()) {
    for (const AtlasEntry& entry : all_atlas_entries()) entries.push_back(&entry);
  }
  return entries;
}

Problem problem_of(const AtlasEntry& entry, const SharedOptions& shared) {
  if (!shared.seed) return parse_problem(entry.problem);
  return parse_problem(fmt::format("{},seed={})", entry.problem.substr(0, entry.problem.size() - 1), *shared.seed));
}

// The findings of a planted fault belong to the bug's threads.
void relate(std::vector<Finding>& findings, const AtlasEntry& entry) {
  for (Finding& finding : findings) {
    finding.related.push_back(fmt::format("atlas:{}", entry.row));
    finding.related.insert(finding.related.end(), entry.related.begin(), entry.related.end());
  }
}

// Runs one kernel on an entry's problem, and looks at its contract as a campaign does.
CaseResult result_of(const KernelFamily& family, const Problem& problem, Examiner& examiner, const Request& request) {
  const Clock::time_point start = Clock::now();
  const ProblemSpace space = space_of(family);
  Examined examined = examiner.examine({family, space.flaws, problem}, {.other_order = false, .relations = false});
  std::vector<std::string> words = {"kernel", family.name, "--problem", text_of(problem)};
  const std::vector<std::string> more = replay_options(request.shared);
  words.insert(words.end(), more.begin(), more.end());
  CaseResult result{true, examined.not_run, std::move(examined.findings), examined.statistics};
  for (Finding& finding : result.findings) {
    finding.case_text = text_of(problem);
    // What a contract takes shows in the atlas alone.
    finding.replay =
        finding.rule == Rule::BadArgumentAccepted ? request.command_line : quoted_line("rope-check", words);
  }
  result.seconds = seconds_since(start);
  return result;
}

AtlasRun run_entry(const AtlasEntry& entry, Examiner& examiner, const Request& request) {
  const KernelFamily& family = family_named(entry.family);
  const KernelFamily& twin = family_named(family.healthy_twin);
  const Problem problem = problem_of(entry, request.shared);
  AtlasRun run{&entry, result_of(family, problem, examiner, request), {}};
  relate(run.faulty.findings, entry);
  if (twin.reject(problem).empty()) run.twin = result_of(twin, problem, examiner, request);
  return run;
}

std::vector<AtlasRun> run_entries(const AtlasOptions& options, const Request& request) {
  const std::string unavailable = why_unavailable(request.shared.executor);
  std::vector<AtlasRun> runs;
  if (!unavailable.empty()) {
    for (const AtlasEntry* entry : entries_of(options)) runs.push_back({entry, {false, unavailable}, {}});
    return runs;
  }
  Examiner examiner(make_executor(request.shared.executor), run_options_of(request.shared, 1));
  for (const AtlasEntry* entry : entries_of(options)) runs.push_back(run_entry(*entry, examiner, request));
  return runs;
}

// Findings of two rows stay two, though the same line may be to blame.
Report report_of(const std::vector<AtlasRun>& runs, const Request& request) {
  Plan plan;
  std::vector<CaseResult> results;
  const auto add = [&](const CaseResult& result, const AtlasEntry& entry) {
    plan.cases.push_back({entry.problem, request.command_line});
    results.push_back(result);
  };
  for (const AtlasRun& run : runs) {
    add(run.faulty, *run.entry);
    if (run.twin) add(*run.twin, *run.entry);
  }
  Report report = report_of(plan, results, request);
  report.findings.clear();
  for (const CaseResult& result : results) {
    report.findings.insert(report.findings.end(), result.findings.begin(), result.findings.end());
  }
  return report;
}

// The runs' findings get the excuses that the report's have, which are the same in the same order.
void take_excuses(std::vector<AtlasRun>& runs, const Report& report) {
  auto next = report.findings.begin();
  const auto take = [&](CaseResult& result) {
    for (Finding& finding : result.findings) finding.excuse = next++->excuse;
  };
  for (AtlasRun& run : runs) {
    take(run.faulty);
    if (run.twin) take(*run.twin);
  }
}

// A bug that is found as expected does not fail the run; what is not as expected does.
void conclude(Report& report, const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements) {
  bool all_run = true, as_expected = true;
  for (size_t n = 0; n < runs.size(); ++n) {
    as_expected &= judgements[n].as_expected();
    all_run &= runs[n].faulty.run;
    for (const std::string& sentence : judgements[n].unlike) {
      report.notes.push_back(fmt::format("row {} ({}): {}", runs[n].entry->row, runs[n].entry->title, sentence));
    }
  }
  report.summary.findings = report.findings.size();
  report.summary.verdict = !all_run ? Verdict::NotRun : as_expected ? Verdict::Clean : Verdict::Findings;
}

std::string verdict_text(const std::vector<AtlasJudgement>& judgements, const Report& report) {
  size_t expected = 0;
  for (const AtlasJudgement& judgement : judgements) expected += judgement.as_expected();
  return fmt::format(
      "{} of {} planted faults are found as expected, beside a healthy twin without findings  ({}, {:.2f} s)\n",
      expected, judgements.size(), report.executor, report.duration_s);
}

}  // namespace

ExitCode run_atlas(const AtlasOptions& options, const Request& request) {
  const Clock::time_point start = Clock::now();
  std::vector<AtlasRun> runs = run_entries(options, request);
  Report report = report_of(runs, request);
  excuse_findings(report, request.shared);
  take_excuses(runs, report);
  std::vector<AtlasJudgement> judgements;
  for (const AtlasRun& run : runs) judgements.push_back(judge(run));
  conclude(report, runs, judgements);
  report.duration_s = seconds_since(start);
  write_report_files(report, request.shared);
  const std::string table = atlas_table(runs, judgements, wants_color(request.shared.color));
  print((request.shared.quiet ? "" : table) + verdict_text(judgements, report));
  return exit_code_of(report.summary.verdict);
}

}  // namespace ropewalk
