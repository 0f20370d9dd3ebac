#include "reports/text.h"

#include <fmt/format.h>

#include <set>

#include "reports/paint.h"

namespace ropewalk {
namespace {

std::string counted(u64 count, const char* word) { return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s"); }

std::string severities_text(const SeverityCounts& counts) {
  std::string out;
  const auto add = [&](u64 count, const char* word) {
    if (count) out += (out.empty() ? "" : ", ") + counted(count, word);
  };
  add(counts.errors, "error");
  add(counts.warnings, "warning");
  add(counts.notes, "note");
  return out;
}

}  // namespace

std::string verdict_line(const Report& report, bool color) {
  const Paint paint(color);
  const Summary& summary = report.summary;
  const std::string cases = counted(summary.cases, "case");
  const std::string found = severities_text(count_severities(report.findings));
  std::string text;
  switch (summary.verdict) {
    case Verdict::Clean:
      text =
          paint(Ink::Good, "clean") + fmt::format("    {} checked, {}", cases, found.empty() ? "nothing found" : found);
      break;
    case Verdict::Findings:
      text = paint(Ink::Error, "found") + fmt::format("    {} in {}", found, cases);
      break;
    case Verdict::NotRun:
      text = paint(Ink::Warning, "not run") + fmt::format("  {} of {} could not be checked", summary.not_run, cases);
      if (!found.empty()) text += ", " + found;
      break;
  }
  if (summary.verdict == Verdict::Findings && summary.not_run) text += fmt::format(", {} not run", summary.not_run);
  const std::string circumstances =
      fmt::format("({}, seed {}, {:.2f} s)", report.executor, report.seed, report.duration_s);
  return text + "  " + paint(Ink::Faint, circumstances) + "\n";
}

std::string text_of(const Report& report, const TextOptions& options) {
  const Paint paint(options.color);
  std::string out;
  if (!options.quiet) {
    for (const std::string& line : report.printed) out += paint(Ink::Faint, "printed: ") + printable(line) + "\n";
    std::set<std::string> told;  // texts of causes
    for (const Finding& finding : report.findings) {
      const bool cause_told = finding.cause && !told.insert(finding.cause->text).second;
      out += text_of(finding, options, cause_told) + "\n";
    }
    for (const NotRunCase& left : report.not_run) {
      out += paint(Ink::Warning, "not run") + ": " + printable(left.case_text) + "\n    " + printable(left.reason) +
             "\n\n";
    }
    for (const std::string& note : report.notes) out += paint(Ink::Note, "note") + ": " + printable(note) + "\n";
  }
  return out + verdict_line(report, options.color);
}

}  // namespace ropewalk
