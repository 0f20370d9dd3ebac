// The report as GitHub workflow commands, which become annotations on the lines of a pull request.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/facts.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"
#include "reports/verdict.h"

namespace ropewalk::reports {
namespace {

constexpr size_t most_annotations = 10;

// The escapes of GitHub's runner: % and line ends in messages, also : and , in properties.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += is_property ? "%3A" : ":";
        break;
      case ',':
        out += is_property ? "%2C" : ",";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

const char* command_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "notice";
  }
  return "notice";
}

std::string command(const char* name, const std::vector<std::pair<const char*, std::string>>& properties,
                    const std::string& message) {
  std::string out = fmt::format("::{}", name);
  const char* separator = " ";
  for (const auto& [key, value] : properties) {
    if (value.empty()) continue;
    out += fmt::format("{}{}={}", separator, key, escaped(printable(value), true));
    separator = ",";
  }
  return out + "::" + escaped(message, false) + "\n";
}

std::string annotation(const Finding& finding) {
  std::vector<std::pair<const char*, std::string>> properties;
  if (const auto& location = finding.location) {
    const bool has_source = !location->file.empty();
    const u64 line = has_source ? location->line : location->ptx_line;
    properties.emplace_back("file", has_source ? location->file : location->ptx_file);
    if (line) properties.emplace_back("line", std::to_string(line));
    if (has_source && location->column) properties.emplace_back("col", std::to_string(location->column));
  }
  const std::string kernel = kernel_of(finding);
  properties.emplace_back("title", std::string(name_of(finding.rule)) + (kernel.empty() ? "" : " in " + kernel));
  std::string message = printable(readable(finding.message));
  if (finding.cause) {
    if (finding.cause->text != finding.message) message += "\nCause: " + printable(readable(finding.cause->text));
    if (!finding.cause->advice.empty()) message += "\nTo do: " + printable(finding.cause->advice);
  }
  if (!finding.replay.empty()) message += "\nSee it again: " + printable(finding.replay);
  return command(command_of(finding.severity), properties, message);
}

// What is left of the findings, counted by rule, as severe as the worst of them.
std::string remainder(const std::vector<const Finding*>& findings, size_t first) {
  std::map<std::string_view, u64> by_rule;
  for (size_t n = first; n < findings.size(); ++n) ++by_rule[name_of(findings[n]->rule)];
  std::string message;
  for (const auto& [rule, count] : by_rule) message += fmt::format("{}{} {}", message.empty() ? "" : ", ", count, rule);
  const std::string title = fmt::format("{} more findings", findings.size() - first);
  return command(command_of(findings[first]->severity), {{"title", title}}, message + ": see the report");
}

}  // namespace

// GitHub shows at most ten annotations of each kind for a step: so at most ten lines of commands altogether, those that
// fail the run first; where there are more findings the tenth counts the rest by rule. Then the verdict as plain text.
// Each command is one line: "::error file=...,line=...,title=...::message".
std::string github_of(const Report& report) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : report.findings) {
    if (!finding.waiver) findings.push_back(&finding);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding* a, const Finding* b) { return a->severity < b->severity; });
  const bool all_fit = findings.size() + report.not_run.size() <= most_annotations;
  const size_t kept = report.not_run.empty() ? most_annotations : most_annotations - 1;  // one for what did not run
  const size_t shown = findings.size() <= kept ? findings.size() : kept - 1;
  std::string out;
  for (size_t n = 0; n < shown; ++n) out += annotation(*findings[n]);
  if (shown < findings.size()) out += remainder(findings, shown);
  if (all_fit) {
    for (const NotRunCase& left : report.not_run)
      out += command("warning", {{"title", "not run"}}, printable(left.case_text + ": " + left.reason));
  } else if (!report.not_run.empty()) {
    const NotRunCase& first = report.not_run.front();
    out += command("warning", {{"title", counted(report.not_run.size(), case_noun(report)) + " not run"}},
                   printable(first.case_text + ": " + first.reason));
  }
  const VerdictWords words = verdict_words(report);
  return out + printable(fmt::format("{}: {} {}  ({})", report.tool, words.word, words.text, words.circumstances)) +
         "\n";
}

}  // namespace ropewalk::reports
