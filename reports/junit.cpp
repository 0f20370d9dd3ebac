// The report as JUnit XML, for the test pages of CI systems; after junit-10.xsd of Jenkins' xUnit plugin.
#include <fmt/format.h>

#include <map>

#include "reports/facts.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"
#include "reports/text.h"
#include "reports/verdict.h"
#include "reports/xml.h"

namespace ropewalk::reports {
namespace {

// How many test cases of each outcome a suite has.
struct Counts {
  u64 tests = 0, failures = 0, errors = 0, skipped = 0;
};

void write_counts(pugi::xml_node suite, const Counts& counts, bool with_skipped) {
  suite.append_attribute("tests") = std::to_string(counts.tests).c_str();
  suite.append_attribute("failures") = std::to_string(counts.failures).c_str();
  suite.append_attribute("errors") = std::to_string(counts.errors).c_str();
  if (with_skipped) suite.append_attribute("skipped") = std::to_string(counts.skipped).c_str();
}

// Seconds as the schema takes them: at most three digits after the point.
std::string seconds_text(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string name_of(const Finding& finding) {
  const std::string where = finding.location ? " at " + location_text(*finding.location) : "";
  return fmt::format("{}{} [{}]", name_of(finding.rule), where, finding.id);
}

void write_finding(pugi::xml_node suite, const std::string& kernel, const Finding& finding, bool strict,
                   Counts& counts) {
  ++counts.tests;
  const pugi::xml_node test = add_element(suite, "testcase", {{"name", name_of(finding)}, {"classname", kernel}});
  const std::string message = readable(finding.message);
  const std::string text = text_of(finding, TextOptions{});
  if (fails(finding, strict)) {
    ++counts.failures;
    const std::string type(name_of(finding.rule));
    add_lines(add_element(test, "failure", {{"type", type}, {"message", message}}), text);
    return;
  }
  if (finding.waiver) {
    ++counts.skipped;
    const std::string by(name_of(finding.waiver->by));
    add_element(test, "skipped", {{"type", by}, {"message", finding.waiver->reason}});
  }
  add_lines(add_element(test, "system-out"), text);
}

void write_not_run(pugi::xml_node suite, const NotRunCase& left, Counts& counts) {
  ++counts.tests;
  ++counts.errors;
  const pugi::xml_node test = add_element(suite, "testcase", {{"name", left.case_text}, {"classname", "not run"}});
  add_element(test, "error", {{"type", "not-run"}, {"message", left.reason}},
              left.replay.empty() ? left.reason : "see it again: " + left.replay);
}

void add(Counts& sum, const Counts& counts) {
  sum.tests += counts.tests;
  sum.failures += counts.failures;
  sum.errors += counts.errors;
  sum.skipped += counts.skipped;
}

void write_run(pugi::xml_node suites, const Report& report, Counts& sum) {
  Counts counts;
  pugi::xml_node suite = add_element(suites, "testsuite", {{"name", report.tool}});
  const pugi::xml_node properties = add_element(suite, "properties");
  const auto property = [&](const char* name, const std::string& value) {
    add_element(properties, "property", {{"name", name}, {"value", value}});
  };
  property("version", report.version);
  property("command", report.command);
  property("seed", std::to_string(report.seed));
  property("executor", report.executor);
  property("verdict", std::string(name_of(report.summary.verdict)));
  if (report.summary.passed > 0) {
    ++counts.tests;
    const std::string name = fmt::format("{} without an error", counted(report.summary.passed, case_noun(report)));
    add_element(suite, "testcase", {{"name", name}, {"classname", report.tool}});
  }
  for (const NotRunCase& left : report.not_run) write_not_run(suite, left, counts);
  const VerdictWords words = verdict_words(report);
  std::string output = words.word + ": " + words.text + "\n";
  for (const std::string& note : report.notes) output += "note: " + printable(note) + "\n";
  add_lines(add_element(suite, "system-out"), output);
  write_counts(suite, counts, true);
  suite.append_attribute("time") = seconds_text(report.duration_s).c_str();
  add(sum, counts);
}

}  // namespace

// A test suite for each kernel that something is reported of. A finding is a test case: one that fails the run is a
// failure, a waived one is skipped with its reason, a warning or a note passes and is reported in its output. A case
// that did not run is an error, so that it never counts as passed. Cases without findings are one test case with their
// number in its name.
std::string junit_of(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node suites = add_element(document, "testsuites", {{"name", report.tool}});
  Counts sum;
  write_run(suites, report, sum);
  std::map<std::string, std::vector<const Finding*>> by_kernel;
  for (const Finding& finding : report.findings) by_kernel[readable(kernel_of(finding))].push_back(&finding);
  for (const auto& [kernel, findings] : by_kernel) {
    Counts counts;
    pugi::xml_node suite = add_element(suites, "testsuite", {{"name", kernel.empty() ? report.tool : kernel}});
    for (const Finding* finding : findings) write_finding(suite, kernel, *finding, report.strict, counts);
    write_counts(suite, counts, true);
    add(sum, counts);
  }
  write_counts(suites, sum, false);
  suites.append_attribute("time") = seconds_text(report.duration_s).c_str();
  return xml_text(document);
}

}  // namespace ropewalk::reports
