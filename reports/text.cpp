#include "reports/text.h"

#include <set>

#include "reports/coverage_words.h"
#include "reports/paint.h"
#include "reports/verdict.h"

namespace ropewalk {
namespace {

Ink ink_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return Ink::Good;
    case Verdict::Findings:
      return Ink::Error;
    case Verdict::NotRun:
      return Ink::Warning;
  }
  return Ink::Plain;
}

}  // namespace

std::string verdict_line(const Report& report, bool color) {
  const Paint paint(color);
  const VerdictWords words = verdict_words(report);
  return paint(ink_of(report.summary.verdict), words.word) + std::string(9 - words.word.size(), ' ') + words.text +
         "  " + paint(Ink::Faint, "(" + words.circumstances + ")") + "\n";
}

std::string text_of(const Report& report, const TextOptions& given) {
  TextOptions options = given;
  if (!options.source_lines) options.source_lines = source_lines_of(report.sources);
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
    for (const std::string& line : campaign_lines(report))
      out += paint(Ink::Note, "covered") + ": " + printable(line) + "\n";
    for (const std::string& note : report.notes) out += paint(Ink::Note, "note") + ": " + printable(note) + "\n";
  }
  return out + verdict_line(report, options.color);
}

}  // namespace ropewalk
