#include <fmt/format.h>

#include "reports/facts.h"
#include "reports/html_parts.h"
#include "reports/readable.h"
#include "reports/rules.h"
#include "reports/xml.h"

namespace ropewalk::reports {
namespace {

constexpr u64 neighbours = 2;  // lines before and after the marked one

// The source lines; the line of the finding is marked, and its column underlined.
void add_source(pugi::xml_node parent, const FindingLocation& location, const SourceExcerpts& sources) {
  const auto lines = sources.find(location.file);
  if (location.file.empty() || lines == sources.end() || !lines->second.contains(location.line)) return;
  const pugi::xml_node block = add_element(parent, "pre", {{"class", "source"}, {"tabindex", "0"}});
  for (u64 n = location.line > neighbours ? location.line - neighbours : 1; n <= location.line + neighbours; ++n) {
    const auto text = lines->second.find(n);
    if (text == lines->second.end()) continue;
    const bool is_marked = n == location.line;
    const pugi::xml_node line = add_element(block, is_marked ? "mark" : "span", {{"class", "line"}});
    add_element(line, "span", {{"class", "number"}, {"aria-hidden", "true"}}, fmt::format("{:>5} ", n));
    const size_t column = is_marked && location.column > 0 ? location.column - 1 : std::string::npos;
    if (column < text->second.size()) {
      const size_t end = text->second.find_first_of(" ;,)", column + 1);
      const size_t length = std::min(end, text->second.size()) - column;
      add_text(line, text->second.substr(0, column));
      add_element(line, "u", {}, text->second.substr(column, length));
      add_text(line, text->second.substr(column + length) + " ");
    } else {
      add_text(line, text->second + " ");
    }
  }
}

void add_location(pugi::xml_node parent, const Finding& finding) {
  const pugi::xml_node location = add_element(parent, "p", {{"class", "location"}});
  if (finding.location) add_element(location, "code", {}, location_text(*finding.location));
  const std::string kernel = readable(kernel_of(finding));
  if (!kernel.empty()) {
    add_text(location, " in ");
    add_element(location, "code", {}, kernel);
  }
  if (!finding.location) return;
  for (const std::string& call : inlining_of(*finding.location)) add_element(parent, "p", {{"class", "inlined"}}, call);
}

void add_facts(pugi::xml_node parent, const Finding& finding) {
  const pugi::xml_node table = add_element(parent, "table", {{"class", "facts"}});
  const pugi::xml_node body = add_element(table, "tbody");
  const auto add = [&](const std::string& label, const std::string& text, const std::string& remark = "") {
    if (text.empty()) return;
    const pugi::xml_node row = add_element(body, "tr");
    add_element(row, "th", {{"scope", "row"}}, label);
    const pugi::xml_node cell = add_element(row, "td", {}, text);
    if (!remark.empty()) add_element(cell, "span", {{"class", "faint"}}, " " + remark);
  };
  for (const Fact& fact : facts_of(finding)) add(fact.label, fact.text, fact.remark);
  for (const std::string& line : finding.evidence) add("noted", readable(line));
  for (const std::string& bug : finding.related) add("related", bug);
  add("case", finding.case_text);
  if (finding.minimal_case != finding.case_text) add("minimal", finding.minimal_case);
  if (finding.waiver) add(std::string(name_of(finding.waiver->by)), finding.waiver->reason);
  add("id", finding.id);
}

}  // namespace

std::string anchor_of(const Finding& finding, size_t number) {
  return fmt::format("finding-{}-{}", finding.id, number);
}

void add_badge(pugi::xml_node parent, Severity severity) {
  const std::string name(name_of(severity));
  add_element(parent, "span", {{"class", "badge " + name}}, name);
}

void add_command(pugi::xml_node parent, const std::string& command, const std::string& anchor) {
  const pugi::xml_node box = add_element(parent, "div", {{"class", "command"}});
  add_element(box, "code", {{"id", anchor}, {"tabindex", "0"}}, command);
  add_element(box, "button", {{"type", "button"}, {"data-copy", anchor}, {"aria-label", "Copy the command"}}, "Copy");
}

void add_finding(pugi::xml_node parent, const Finding& finding, size_t number, const SourceExcerpts& sources) {
  const std::string anchor = anchor_of(finding, number);
  const pugi::xml_node article = add_element(parent, "article", {{"id", anchor}, {"class", "finding"}});
  const pugi::xml_node head = add_element(article, "h3");
  add_badge(head, finding.severity);
  add_text(head, " ");
  add_element(head, "code", {{"class", "rule"}}, std::string(name_of(finding.rule)));
  add_element(article, "p", {{"class", "message"}}, readable(finding.message));
  add_location(article, finding);
  if (finding.location) add_source(article, *finding.location, sources);
  add_picture(article, finding.footprint);
  add_facts(article, finding);
  const RuleInfo& rule = info_of(finding.rule);
  const pugi::xml_node details = add_element(article, "details");
  add_element(details, "summary", {}, std::string(rule.title));
  for (const std::string_view sentence : {rule.means, rule.hurts, rule.causes}) add_element(details, "p", {}, sentence);
  if (!finding.replay.empty()) add_command(article, finding.replay, anchor + "-replay");
}

}  // namespace ropewalk::reports
