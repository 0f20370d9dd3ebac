#include "tools/atlas/atlas.h"

#include <fmt/format.h>

#include <chrono>

#include "kernels/family.h"
#include "lib/compare/expect.h"
#include "lib/finding/merge.h"
#include "tools/atlas/judge.h"
#include "tools/atlas/table.h"
#include "tools/parse/parse.h"
#include "tools/run/report_out.h"
#include "tools/run/run.h"

namespace ropewalk {
namespace {

// The cases of the entries that are asked for.
struct AtlasPlan {
  struct Part {
    const AtlasEntry* entry = nullptr;
    size_t faulty = 0;           // number of the case
    std::optional<size_t> twin;  // none: its contract rejects the problem
  };
  Plan plan;
  std::vector<Part> parts;
};

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

Case case_of(const KernelFamily& family, const Problem& problem, const SharedOptions& shared) {
  Case one;
  one.text = text_of(problem);
  std::vector<std::string> words = {"kernel", family.name, "--problem", one.text};
  const std::vector<std::string> more = replay_options(shared);
  words.insert(words.end(), more.begin(), more.end());
  one.replay = quoted_line("rope-check", words);
  one.launch = family.launch(problem);
  one.problem = problem;
  expect_answer(family, problem, one.launch);
  return one;
}

AtlasPlan plan_of(const AtlasOptions& options, const SharedOptions& shared) {
  AtlasPlan atlas;
  std::vector<Case>& cases = atlas.plan.cases;
  for (const AtlasEntry* entry : entries_of(options)) {
    const KernelFamily& family = family_named(entry->family);
    const KernelFamily& twin = family_named(family.healthy_twin);
    const Problem problem = problem_of(*entry, shared);
    AtlasPlan::Part part{entry, cases.size(), {}};
    cases.push_back(case_of(family, problem, shared));
    if (twin.reject(problem).empty()) {
      part.twin = cases.size();
      cases.push_back(case_of(twin, problem, shared));
    }
    atlas.parts.push_back(part);
  }
  return atlas;
}

// The findings of a planted fault belong to the bug's threads.
void relate(std::vector<Finding>& findings, const AtlasEntry& entry) {
  for (Finding& finding : findings) {
    finding.related.push_back(fmt::format("atlas:{}", entry.row));
    finding.related.insert(finding.related.end(), entry.related.begin(), entry.related.end());
  }
}

// Findings of two rows stay two, though the same line may be to blame. A bug that is found as expected does not fail the
// run; what is not as expected does.
void conclude_atlas(Report& report, const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements) {
  report.findings.clear();
  const auto keep = [&](const CaseResult& result) {
    for (Finding& finding : merged_in_case(result.findings)) report.findings.push_back(std::move(finding));
  };
  bool all_run = true, as_expected = true;
  for (size_t n = 0; n < runs.size(); ++n) {
    keep(runs[n].faulty);
    if (runs[n].twin) keep(*runs[n].twin);
    as_expected &= judgements[n].as_expected();
    all_run &= runs[n].faulty.run && (!runs[n].twin || runs[n].twin->run);
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
  const auto start = std::chrono::steady_clock::now();
  const auto [plan, parts] = plan_of(options, request.shared);
  std::vector<CaseResult> results = run_cases(plan, request.shared);
  std::vector<AtlasRun> runs;
  for (const AtlasPlan::Part& part : parts) {
    relate(results[part.faulty].findings, *part.entry);
    runs.push_back({part.entry, results[part.faulty], {}});
    if (part.twin) runs.back().twin = results[*part.twin];
  }
  std::vector<AtlasJudgement> judgements;
  for (const AtlasRun& run : runs) judgements.push_back(judge(run));

  Report report = report_of(plan, std::move(results), request);
  conclude_atlas(report, runs, judgements);
  report.duration_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_report_files(report, request.shared);
  const std::string table = atlas_table(runs, judgements, wants_color(request.shared.color));
  print((request.shared.quiet ? "" : table) + verdict_text(judgements, report));
  return exit_code_of(report.summary.verdict);
}

}  // namespace ropewalk
