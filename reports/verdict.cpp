#include "reports/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/facts.h"

namespace ropewalk::reports {

std::string severities_text(const SeverityCounts& counts) {
  std::string out;
  const auto add = [&](u64 count, const std::string& text) {
    if (count) out += (out.empty() ? "" : ", ") + text;
  };
  add(counts.errors, counted(counts.errors, "error"));
  add(counts.warnings, counted(counts.warnings, "warning"));
  add(counts.notes, counted(counts.notes, "note"));
  add(counts.known, fmt::format("{} known", counts.known));
  add(counts.suppressed, fmt::format("{} suppressed", counts.suppressed));
  return out;
}

std::string_view case_noun(const Report& report) {
  const std::string& command = report.command;
  const auto first = command.find(' '), end = command.find(' ', first + 1);
  return first != command.npos && command.substr(first + 1, end - first - 1) == "run" ? "launch" : "case";
}

VerdictWords verdict_words(const Report& report) {
  const Summary& summary = report.summary;
  const std::string cases = counted(summary.cases, case_noun(report));
  const std::string found = severities_text(count_severities(report.findings));
  VerdictWords words;
  switch (summary.verdict) {
    case Verdict::Clean:
      words.word = "clean";
      words.text = fmt::format("{} checked, {}", cases, found.empty() ? "nothing found" : found);
      break;
    case Verdict::Findings:
      words.word = "found";
      words.text = fmt::format("{} in {}", found.empty() ? "not as expected" : found, cases);
      if (summary.not_run) words.text += fmt::format(", {} not run", summary.not_run);
      break;
    case Verdict::NotRun:
      if (ran_unchecked(report)) {
        words.word = "ran";
        words.text = fmt::format("{}, without any check{}", cases, found.empty() ? "" : ": " + found);
        break;
      }
      words.word = "not run";
      // A case may have several parts that were not.
      // A program that died may have made launches before, with their checks.
      words.text =
          report.coverage.checks.empty() && report.not_run.size() == 1 && report.not_run[0].case_text == whole_program
              ? "nothing of the program was checked"
              : fmt::format("{} of {} could not be checked", std::min(summary.not_run, summary.cases), cases);
      if (!found.empty()) words.text += ", " + found;
      break;
  }
  // Where nothing ran, nothing was drawn either.
  words.circumstances = report.executor == "none"
                            ? fmt::format("{:.2f} s", report.duration_s)
                            : fmt::format("{}, seed {}, {:.2f} s", report.executor, report.seed, report.duration_s);
  return words;
}

}  // namespace ropewalk::reports
