// The report as Markdown (GitHub's dialect), for step summaries and merge requests.
#include <fmt/format.h>

#include "reports/coverage_words.h"
#include "reports/facts.h"
#include "reports/groups.h"
#include "reports/picture.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"
#include "reports/source.h"
#include "reports/verdict.h"

namespace ropewalk::reports {
namespace {

// The text with everything that Markdown would read as markup escaped, in one line.
std::string escaped_for_markdown(std::string_view text) {
  std::string out;
  for (const char letter : printable(text)) {
    if (letter == '&') {
      out += "&amp;";
    } else if (letter == '<') {
      out += "&lt;";
    } else if (letter == '>') {
      out += "&gt;";
    } else if (letter == '@') {
      out += "&#64;";  // names nobody
    } else {
      if (std::string_view("\\`*_[]|~#").find(letter) != std::string_view::npos) out += '\\';
      out += letter;
    }
  }
  return out;
}

// The text as code within a line, whatever backticks it holds.
std::string markdown_code(std::string_view text) {
  const std::string code = printable(text);
  if (code.empty()) return "";
  size_t longest = 0, run = 0;
  for (const char letter : code) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string tick(longest + 1, '`');
  const char* const pad = longest ? " " : "";
  return tick + pad + code + pad + tick;
}

constexpr size_t most_findings = 100;

// A fence that is longer than any run of backticks in the text.
std::string fenced(const std::string& text, const char* language) {
  size_t longest = 2, run = 0;
  for (const char letter : text) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + language + "\n" + text + (text.ends_with("\n") ? "" : "\n") + fence + "\n\n";
}

const char* mark_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "\U0001F534";  // red circle
    case Severity::Warning:
      return "\U0001F7E1";  // yellow circle
    case Severity::Note:
      return "\U0001F535";  // blue circle
  }
  return "";
}

const char* mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return "\u2705";
    case Verdict::Findings:
      return "\u274C";
    case Verdict::NotRun:
      return "\u26A0\uFE0F";
  }
  return "";
}

std::string excerpt_of(const FindingLocation& location, const SourceExcerpts& sources) {
  const auto lines = sources.find(location.file);
  if (lines == sources.end()) return "";
  std::string out;
  for (u64 n = location.line > 2 ? location.line - 2 : 1; n <= location.line + 2; ++n) {
    const auto text = lines->second.find(n);
    if (text == lines->second.end()) continue;
    out += fmt::format("{} {:>4} | {}\n", n == location.line ? ">" : " ", n, printable(text->second));
  }
  return out;
}

std::string finding_text(const Finding& finding, const Report& report) {
  std::string out = fmt::format("#### {} {}: {}\n\n", mark_of(finding.severity), name_of(finding.rule),
                                escaped_for_markdown(readable(finding.message)));
  const std::string kernel = kernel_of(finding);
  if (finding.location) {
    out += markdown_code(location_text(*finding.location)) + (kernel.empty() ? "" : " in " + markdown_code(kernel));
    for (const std::string& call : inlining_of(*finding.location)) out += "<br>" + escaped_for_markdown(call);
    out += "\n\n";
    if (const std::string excerpt = excerpt_of(*finding.location, report.sources); !excerpt.empty())
      out += fenced(excerpt, "cuda");
  } else if (!kernel.empty()) {
    out += "in " + markdown_code(kernel) + "\n\n";
  }
  out += "| | |\n|---|---|\n";
  for (const Fact& fact : facts_of(finding)) {
    const std::string text = fact.text + (fact.remark.empty() ? "" : " " + fact.remark);
    out += fmt::format("| {} | {} |\n", fact.label, escaped_for_markdown(text));
  }
  if (finding.waiver) {
    const bool known = finding.waiver->by == Waiver::By::Baseline;
    out += fmt::format("| {} | {} |\n", known ? "known" : "suppressed", escaped_for_markdown(finding.waiver->reason));
  }
  for (const std::string& line : finding.evidence)
    out += fmt::format("| noted | {} |\n", escaped_for_markdown(readable(line)));
  for (const std::string& bug : finding.related) out += fmt::format("| related | {} |\n", escaped_for_markdown(bug));
  if (!finding.minimal_case.empty())
    out += fmt::format("| minimal | {} |\n", escaped_for_markdown(finding.minimal_case));
  out += fmt::format("| id | {} |\n\n", finding.id);
  std::string picture;
  for (const std::string& line : picture_of(finding.footprint)) picture += line + "\n";
  if (!picture.empty())
    out += "<details><summary>where in the tensor</summary>\n\n" + fenced(picture, "text") + "</details>\n\n";
  if (!finding.replay.empty()) out += fenced(printable(finding.replay), "sh");
  return out;
}

std::string cause_text(const Cause& cause) {
  std::string out =
      fmt::format("### {}\n\n{}\n\n", escaped_for_markdown(readable(cause.text)), markdown_code(cause.id));
  for (const std::string& line : cause.evidence) out += "- " + escaped_for_markdown(readable(line)) + "\n";
  if (!cause.evidence.empty()) out += "\n";
  if (!cause.advice.empty()) out += fmt::format("**To do:** {}\n\n", escaped_for_markdown(cause.advice));
  return out;
}

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + escaped_for_markdown(cell) + " |";
  return out + "\n";
}

std::string coverage_text(const Report& report) {
  std::string out = "### What was looked at\n\n| | |\n|---|---|\n";
  for (const auto& [label, text] : coverage_rows(report)) out += row({label, text});
  const CampaignTable table = campaign_table(report);
  if (table.rows.empty()) return out + "\n";
  out += "\n" + row(table.head) + "|";
  for (size_t n = 0; n < table.head.size(); ++n) out += "---|";
  out += "\n";
  for (const std::vector<std::string>& cells : table.rows) out += row(cells);
  return out + "\n";
}

}  // namespace

// The verdict, the findings by cause with their locations and replay commands, what did not run, and the coverage. At
// most 100 findings are shown in full (a step summary holds 1 MiB); the rest is counted.
std::string markdown_of(const Report& report) {
  const VerdictWords words = verdict_words(report);
  std::string out =
      fmt::format("## {} {}: {}\n\n{}\n\n", mark_of(report.summary.verdict), escaped_for_markdown(report.tool),
                  escaped_for_markdown(words.word + " " + words.text), escaped_for_markdown(words.circumstances));
  out += fenced(printable(report.command), "sh");
  size_t shown = 0;
  for (const CauseGroup& group : groups_of(report)) {
    out += group.cause ? cause_text(*group.cause) : "### Findings without a known cause\n\n";
    for (const Finding* finding : group.findings) {
      if (shown++ < most_findings) out += finding_text(*finding, report);
    }
  }
  if (shown > most_findings) out += fmt::format("{} further findings are not shown here.\n\n", shown - most_findings);
  if (const std::vector<const Finding*> waived = waived_findings(report); !waived.empty()) {
    out += "### Findings that do not fail the run\n\n| rule | location | why |\n|---|---|---|\n";
    for (const Finding* finding : waived) {
      const std::string location = finding->location ? location_text(*finding->location) : kernel_of(*finding);
      out += row({std::string(name_of(finding->rule)), location,
                  std::string(name_of(finding->waiver->by)) + ": " + finding->waiver->reason});
    }
    out += "\n";
  }
  if (!report.not_run.empty()) {
    out += fmt::format("### Not run\n\n| {} | reason |\n|---|---|\n", case_noun(report));
    for (const NotRunCase& left : report.not_run) out += row({left.case_text, left.reason});
    out += "\n";
  }
  out += coverage_text(report);
  for (const std::string& note : report.notes) out += "> " + escaped_for_markdown(note) + "\n";
  return out;
}

}  // namespace ropewalk::reports
