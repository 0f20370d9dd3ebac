#include "tools/atlas/atlas.h"

#include <fmt/format.h>

#include "lib/base/stopwatch.h"
#include "lib/finding/merge.h"
#include "reports/format.h"
#include "tools/atlas/judge.h"
#include "tools/atlas/table.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"
#include "tools/run/waiver.h"

namespace ropewalk {
namespace {

// The findings of a seeded bug belong to the bug's threads.
void relate(std::vector<Finding>& findings, const AtlasBug& bug) {
  for (Finding& finding : findings) {
    finding.related.push_back(fmt::format("atlas:{}", bug.row));
    finding.related.insert(finding.related.end(), bug.related.begin(), bug.related.end());
  }
}

AtlasRun run_bug(const AtlasBug& bug) {
  AtlasRun run{&bug, bug.run_faulty(), {}};
  relate(run.faulty.findings, bug);
  if (run.faulty.run) run.counterpart = bug.run_counterpart();
  return run;
}

// Findings of two rows stay two, though the same line may be to blame.
Report report_of(const std::vector<AtlasRun>& runs, const Request& request, const Stopwatch& watch) {
  Plan plan;
  std::vector<CaseResult> results;
  const auto add = [&](const CaseResult& result, const AtlasBug& bug) {
    plan.cases.push_back({bug.case_text, request.command_line});
    results.push_back(result);
  };
  for (const AtlasRun& run : runs) {
    add(run.faulty, *run.bug);
    if (run.counterpart) add(*run.counterpart, *run.bug);
  }
  Report report = report_of(plan, results, request, watch);
  report.findings.clear();
  for (const CaseResult& result : results) {
    report.findings.insert(report.findings.end(), result.findings.begin(), result.findings.end());
  }
  return report;
}

// The runs' findings get the waives that the report's have, which are the same in the same order.
void take_excuses(std::vector<AtlasRun>& runs, const Report& report) {
  auto next = report.findings.begin();
  const auto take = [&](CaseResult& result) {
    for (Finding& finding : result.findings) finding.waiver = next++->waiver;
  };
  for (AtlasRun& run : runs) {
    take(run.faulty);
    if (run.counterpart) take(*run.counterpart);
  }
}

// A bug that is found as expected does not fail the run; what is not as expected does.
void conclude(Report& report, const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements) {
  bool all_run = true, as_expected = true;
  for (size_t n = 0; n < runs.size(); ++n) {
    as_expected &= judgements[n].as_expected();
    all_run &= runs[n].faulty.run;
    for (const std::string& sentence : judgements[n].unlike) {
      report.notes.push_back(fmt::format("row {} ({}): {}", runs[n].bug->row, runs[n].bug->title, sentence));
    }
  }
  make_ids_unique(report.findings);
  report.summary.findings = report.findings.size();
  report.summary.verdict = !all_run ? Verdict::NotRun : as_expected ? Verdict::Clean : Verdict::Findings;
}

std::string verdict_text(const std::vector<AtlasJudgement>& judgements, const Report& report) {
  size_t expected = 0;
  for (const AtlasJudgement& judgement : judgements) expected += judgement.as_expected();
  return fmt::format(
      "{} of {} seeded bugs are found as expected, beside a correct counterpart without findings  ({}, {:.2f} s)\n",
      expected, judgements.size(), report.executor, report.duration_s);
}

}  // namespace

ExitCode run_atlas(const AtlasOptions& options, const Request& request) {
  const Stopwatch watch;
  const std::vector<AtlasBug> bugs = atlas_bugs(options.rows, request);
  std::vector<AtlasRun> runs;
  for (const AtlasBug& bug : bugs) runs.push_back(run_bug(bug));
  Report report = report_of(runs, request, watch);
  excuse_findings(report, request.shared);
  take_excuses(runs, report);
  std::vector<AtlasJudgement> judgements;
  for (const AtlasRun& run : runs) judgements.push_back(judge(run));
  conclude(report, runs, judgements);
  report.duration_s = watch.seconds();
  const SharedOptions& shared = request.shared;
  if (!shared.format.empty() && shared.reports.empty()) {
    return put_out(report, shared, format_named(shared.format).write(report));
  }
  const std::string table = atlas_table(runs, judgements, wants_color(shared.color));
  return put_out(report, shared, (shared.quiet ? "" : table) + verdict_text(judgements, report));
}

}  // namespace ropewalk
