#include "tools/atlas/atlas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "lib/base/stopwatch.h"
#include "lib/finding/merge.h"
#include "reports/format.h"
#include "tools/atlas/judge.h"
#include "tools/atlas/table.h"
#include "tools/commands/examine.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"
#include "tools/run/waiver.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

// The findings of a seeded bug belong to the bug's threads.
void relate(std::vector<Finding>& findings, const AtlasBug& bug) {
  for (Finding& finding : findings) {
    finding.related.push_back(fmt::format("atlas:{}", bug.row));
    finding.related.insert(finding.related.end(), bug.related.begin(), bug.related.end());
  }
}

// The command that runs a row alone.
std::string line_of_row(const AtlasBug& bug, const Request& request) {
  std::vector<std::string> words = {"atlas", std::to_string(bug.row)};
  if (request.shared.seed) words.insert(words.end(), {"--seed", std::to_string(*request.shared.seed)});
  return replay_line(request.shared, std::move(words));
}

AtlasRun run_bug(const AtlasBug& bug, const Request& request) {
  AtlasRun run{&bug, bug.run_faulty(), {}};
  relate(run.faulty.findings, bug);
  if (run.faulty.run) run.counterpart = bug.run_counterpart();
  const auto tell_replay = [&](CaseResult& result) {
    for (Finding& finding : result.findings) {
      if (finding.replay.empty()) finding.replay = line_of_row(bug, request);
    }
  };
  tell_replay(run.faulty);
  if (run.counterpart) tell_replay(*run.counterpart);
  return run;
}

// Findings of two rows stay two, though the same line may be to blame.
Report report_of(const std::vector<AtlasRun>& runs, const Request& request, const Stopwatch& watch) {
  Plan plan;
  std::vector<CaseResult> results;
  const auto add = [&](const CaseResult& result, const AtlasBug& bug) {
    plan.cases.push_back({bug.case_text, line_of_row(bug, request)});
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
void take_waivers(std::vector<AtlasRun>& runs, const Report& report) {
  auto next = report.findings.begin();
  const auto take = [&](CaseResult& result) {
    for (Finding& finding : result.findings) finding.waiver = next++->waiver;
  };
  for (AtlasRun& run : runs) {
    take(run.faulty);
    if (run.counterpart) take(*run.counterpart);
  }
}

// The findings of the report that belong to the n-th run.
std::vector<std::span<Finding>> findings_by_run(Report& report, const std::vector<AtlasRun>& runs) {
  std::vector<std::span<Finding>> all;
  size_t next = 0;
  for (const AtlasRun& run : runs) {
    const size_t count = run.faulty.findings.size() + (run.counterpart ? run.counterpart->findings.size() : 0);
    all.emplace_back(report.findings.data() + next, count);
    next += count;
  }
  return all;
}

// A bug that is found as expected does not fail the run, and its findings are waived; what is not as expected fails it,
// by its findings or, where there are none that fail, by a case that is not as it must be.
void conclude(Report& report, const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements,
              const Request& request) {
  bool all_run = true, as_expected = true;
  const std::vector<std::span<Finding>> findings = findings_by_run(report, runs);
  for (size_t n = 0; n < runs.size(); ++n) {
    const AtlasBug& bug = *runs[n].bug;
    const AtlasJudgement& judgement = judgements[n];
    all_run &= runs[n].faulty.run;
    if (judgement.as_expected()) {
      for (Finding& finding : findings[n]) {
        if (!finding.waiver) finding.waiver = Waiver{Waiver::By::Suppression, "the atlas expects it"};
      }
      // A launch over the limits is found and, rightly, not run.
      std::erase_if(report.not_run, [&](const reports::NotRunCase& left) { return left.case_text == bug.case_text; });
      continue;
    }
    as_expected = false;
    for (const std::string& sentence : judgement.unlike) {
      report.notes.push_back(fmt::format("row {} ({}): {}", bug.row, bug.title, sentence));
    }
    const bool shows = std::ranges::any_of(
        findings[n], [&](const Finding& finding) { return reports::fails(finding, report.strict); });
    if (shows || !runs[n].faulty.run) continue;
    report.not_run.push_back({bug.case_text, fmt::format("not as expected: {}", fmt::join(judgement.unlike, "; ")),
                              line_of_row(bug, request)});
  }
  reports::conclude(report, report.strict);
  report.summary.verdict = !all_run      ? reports::Verdict::NotRun
                           : as_expected ? reports::Verdict::Clean
                                         : reports::Verdict::Findings;
}

std::string verdict_text(const std::vector<AtlasJudgement>& judgements, const Report& report) {
  size_t expected = 0;
  for (const AtlasJudgement& judgement : judgements) expected += judgement.as_expected();
  return fmt::format(
      "{} of {} seeded bugs are found as expected, beside a correct counterpart without findings  ({}, {:.2f} s)\n",
      expected, judgements.size(), report.executor, report.duration_s);
}

// The rows with what came of them.
struct Atlas {
  std::vector<AtlasBug> bugs;
  std::vector<AtlasRun> runs;
  std::vector<AtlasJudgement> judgements;
  Report report;
};

Atlas atlas_of(const AtlasOptions& options, const Request& request) {
  const Stopwatch watch;
  Atlas atlas;
  atlas.bugs = atlas_bugs(options.rows, request);
  for (const AtlasBug& bug : atlas.bugs) atlas.runs.push_back(run_bug(bug, request));
  atlas.report = report_of(atlas.runs, request, watch);
  waive_findings(atlas.report, request.shared);
  take_waivers(atlas.runs, atlas.report);
  for (const AtlasRun& run : atlas.runs) atlas.judgements.push_back(judge(run));
  conclude(atlas.report, atlas.runs, atlas.judgements, request);
  atlas.report.duration_s = watch.seconds();
  return atlas;
}

}  // namespace

Report examine(const AtlasOptions& options, const Request& request) { return atlas_of(options, request).report; }

ExitCode run_atlas(const AtlasOptions& options, const Request& request) {
  const Atlas atlas = atlas_of(options, request);
  const SharedOptions& shared = request.shared;
  if (!shared.format.empty() && shared.reports.empty()) {
    return put_out(atlas.report, shared, reports::format_named(shared.format).write(atlas.report));
  }
  const std::string table = atlas_table(atlas.runs, atlas.judgements, wants_color(shared.color));
  return put_out(atlas.report, shared, (shared.quiet ? "" : table) + verdict_text(atlas.judgements, atlas.report));
}

}  // namespace ropewalk::tools
