// The report as one HTML page that needs nothing else: style, pictures and the little script are in it.
#include <fmt/format.h>

#include <map>

#include "reports/coverage_words.h"
#include "reports/facts.h"
#include "reports/groups.h"
#include "reports/html_parts.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"
#include "reports/verdict.h"
#include "reports/xml.h"

namespace ropewalk::reports {
namespace {

constexpr size_t most_findings = 200;

void add_header(pugi::xml_node body, const Report& report) {
  const VerdictWords words = verdict_words(report);
  const std::string verdict(name_of(report.summary.verdict));
  const pugi::xml_node header = add_element(body, "header", {{"class", verdict}});
  const pugi::xml_node title = add_element(header, "h1");
  add_element(title, "span", {{"class", "verdict"}}, words.word);
  add_element(title, "span", {}, " " + words.text);
  add_element(header, "p", {{"class", "faint"}},
              fmt::format("{} {}, {}", report.tool, report.version, words.circumstances));
  add_command(header, report.command, "command");
}

// A table with the location of every finding, for an overview and as a way there.
void add_overview(pugi::xml_node main, const std::vector<const Finding*>& findings) {
  if (findings.size() < 2) return;
  const pugi::xml_node section = add_element(main, "section", {{"aria-label", "All findings"}, {"class", "wide"}});
  const pugi::xml_node table = add_element(section, "table", {{"class", "overview"}});
  const pugi::xml_node head = add_element(add_element(table, "thead"), "tr");
  for (const char* name : {"", "rule", "location", "tensor", "seen"}) add_element(head, "th", {{"scope", "col"}}, name);
  const pugi::xml_node body = add_element(table, "tbody");
  for (size_t n = 0; n < findings.size() && n < most_findings; ++n) {
    const Finding& finding = *findings[n];
    const pugi::xml_node row = add_element(body, "tr");
    add_badge(add_element(row, "td"), finding.severity);
    add_element(add_element(row, "td"), "a", {{"href", "#" + anchor_of(finding, n)}},
                std::string(name_of(finding.rule)));
    add_element(add_element(row, "td"), "code", {},
                finding.location ? location_text(*finding.location) : readable(kernel_of(finding)));
    add_element(row, "td", {}, finding.access ? readable(finding.access->tensor) : "");
    add_element(row, "td", {{"class", "count"}},
                (finding.occurrences.at_least ? "at least " : "") + std::to_string(finding.occurrences.accesses));
  }
}

void add_cause(pugi::xml_node section, const Cause* cause) {
  if (!cause) {
    add_element(section, "h2", {}, "Without a known cause");
    return;
  }
  add_element(section, "h2", {}, readable(cause->text));
  const pugi::xml_node box = add_element(section, "div", {{"class", "cause"}});
  add_element(add_element(box, "p"), "code", {}, cause->id);
  if (!cause->evidence.empty()) {
    const pugi::xml_node list = add_element(box, "ul");
    for (const std::string& line : cause->evidence) add_element(list, "li", {}, readable(line));
  }
  if (cause->advice.empty()) return;
  const pugi::xml_node advice = add_element(box, "p", {{"class", "advice"}});
  add_element(advice, "strong", {}, "To do: ");
  add_text(advice, cause->advice);
}

void add_findings(pugi::xml_node main, const Report& report) {
  const std::vector<CauseGroup> groups = groups_of(report);
  std::vector<const Finding*> all;
  for (const CauseGroup& group : groups) all.insert(all.end(), group.findings.begin(), group.findings.end());
  add_overview(main, all);
  size_t number = 0;
  for (const CauseGroup& group : groups) {
    if (number >= most_findings) break;
    const pugi::xml_node section = add_element(main, "section");
    add_cause(section, group.cause);
    for (const Finding* finding : group.findings) {
      if (number < most_findings) add_finding(section, *finding, number, report.sources);
      ++number;
    }
  }
  if (all.size() > most_findings) {
    add_element(main, "p", {}, fmt::format("{} further findings are not shown here.", all.size() - most_findings));
  }
}

using Row = std::vector<std::string>;

void add_table(pugi::xml_node parent, const Row& head, const std::vector<Row>& rows) {
  const pugi::xml_node table = add_element(add_element(parent, "div", {{"class", "wide"}}), "table");
  const pugi::xml_node names = add_element(add_element(table, "thead"), "tr");
  for (const std::string& name : head) add_element(names, "th", {{"scope", "col"}}, name);
  const pugi::xml_node body = add_element(table, "tbody");
  for (const Row& cells : rows) {
    const pugi::xml_node row = add_element(body, "tr");
    for (const std::string& cell : cells) add_element(row, "td", {}, cell);
  }
}

void add_waived(pugi::xml_node main, const Report& report) {
  std::vector<Row> rows;
  for (const Finding* finding : waived_findings(report)) {
    rows.push_back({std::string(name_of(finding->rule)),
                    finding->location ? location_text(*finding->location) : readable(kernel_of(*finding)),
                    std::string(name_of(finding->waiver->by)), finding->waiver->reason});
  }
  if (rows.empty()) return;
  const pugi::xml_node section = add_element(main, "section");
  add_element(section, "h2", {}, "Findings that do not fail the run");
  add_table(section, {"rule", "location", "by", "why"}, rows);
}

void add_not_run(pugi::xml_node main, const Report& report) {
  if (report.not_run.empty()) return;
  std::vector<Row> rows;
  for (const NotRunCase& left : report.not_run) rows.push_back({left.case_text, left.reason});
  const pugi::xml_node section = add_element(main, "section");
  add_element(section, "h2", {}, "Not run");
  add_table(section, {std::string(case_noun(report)), "reason"}, rows);
}

void add_coverage(pugi::xml_node main, const Report& report) {
  const pugi::xml_node section = add_element(main, "section");
  add_element(section, "h2", {}, "What was looked at");
  const pugi::xml_node body = add_element(add_element(section, "table", {{"class", "facts"}}), "tbody");
  for (const auto& [label, text] : coverage_rows(report)) {
    const pugi::xml_node row = add_element(body, "tr");
    add_element(row, "th", {{"scope", "row"}}, label);
    add_element(row, "td", {}, text);
  }
  if (const CampaignTable table = campaign_table(report); !table.rows.empty())
    add_table(section, table.head, table.rows);
}

void add_list(pugi::xml_node main, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const pugi::xml_node section = add_element(main, "section");
  add_element(section, "h2", {}, title);
  const pugi::xml_node list = add_element(section, "ul");
  for (const std::string& line : lines) add_element(list, "li", {}, line);
}

// Blocks start on lines of their own, so that two pages can be compared.
std::string with_line_breaks(std::string text) {
  for (const char* tag : {"<header", "<main", "<section", "<article", "<figure", "<table", "<tr", "<h2", "<h3", "<p",
                          "<div", "<svg", "<details", "<ul", "<pre"}) {
    const std::string start = tag;
    for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + start.size() + 1)) {
      const char next = text[at + start.size()];
      if (next == ' ' || next == '>') text.insert(at, "\n");
    }
  }
  return text;
}

}  // namespace

// The verdict, a list of the findings, then the findings by cause: each with its source lines, a picture of the tensor
// with the bad elements on it, the facts and the command that shows it again; what did not run, and what was looked at.
// A content security policy in the page forbids it to load anything. It follows the reader's choice of light or dark,
// fits narrow screens and prints. At most 200 findings are shown in full; the rest is counted.
std::string html_of(const Report& report) {
  pugi::xml_document document;
  const pugi::xml_node body = add_element(document, "body");
  add_header(body, report);
  const pugi::xml_node main = add_element(body, "main");
  add_findings(main, report);
  add_waived(main, report);
  add_not_run(main, report);
  add_coverage(main, report);
  add_list(main, "Notes", report.notes);
  add_list(main, "Printed by kernels", report.printed);
  add_element(body, "p", {{"id", "told"}, {"role", "status"}, {"class", "told"}});
  const VerdictWords words = verdict_words(report);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
  page += escaped_for_html(fmt::format("{}: {} {}", report.tool, words.word, words.text));
  page += "</title>\n<style>\n" + std::string(page_style) + "</style>\n</head>\n";
  page += with_line_breaks(html_text(body));
  const size_t end = page.rfind("</body>");
  page.insert(end, "\n<script>\n" + std::string(page_script) + "</script>\n");
  return page + "\n</html>\n";
}

}  // namespace ropewalk::reports
