// The report as SARIF 2.1.0 (OASIS Standard), as code scanning shows it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/facts.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"
#include "reports/rules.h"
#include "reports/sarif_location.h"
#include "reports/verdict.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Braces stand for placeholders and are doubled (SARIF section 3.11.5); "[0](1)" would be read as a link (3.11.6).
std::string message_text(const std::string& text) {
  std::string out;
  char before = 0;
  for (const char letter : printable(readable(text))) {
    if (letter == '(' && before == ']') out.back() = '\\', out += ']';
    if (letter == '{' || letter == '}') out += letter;
    out += letter;
    before = letter;
  }
  return out;
}

OrderedJson message(const std::string& text) { return {{"text", message_text(text)}}; }

// What has no letters of Markdown in it: rule pages are our own sentences.
OrderedJson rule_json(const RuleInfo& info) {
  const std::string text = fmt::format("{} {} {}", info.means, info.hurts, info.causes);
  const std::string markdown =
      fmt::format("{}\n\n**Why it hurts.** {}\n\n**What usually causes it.** {}", info.means, info.hurts, info.causes);
  return {{"id", name_of(info.rule)},
          {"shortDescription", {{"text", info.title}}},
          {"fullDescription", {{"text", info.means}}},
          {"help", {{"text", text}, {"markdown", markdown}}},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"tags", {"cuda", "kernel"}}, {"precision", "very-high"}, {"problem.severity", "error"}}}};
}

// The rules that findings break, in the order of the rules.
std::vector<const RuleInfo*> broken_rules(const Report& report) {
  std::vector<const RuleInfo*> rules;
  for (const Rule rule : all_rules()) {
    const bool is_broken = std::any_of(report.findings.begin(), report.findings.end(),
                                       [&](const Finding& finding) { return finding.rule == rule; });
    if (is_broken) rules.push_back(&info_of(rule));
  }
  return rules;
}

// A finding without a location in a source or in PTX is reported at the launch file that asked for it, and one of no
// kernel at the file that it was found in.
OrderedJson location_json(const Finding& finding, const SourceExcerpts& sources) {
  OrderedJson physical = finding.location ? physical_location(*finding.location, sources) : OrderedJson();
  if (physical.is_null() && finding.case_text.ends_with(".json")) {
    physical = physical_location(finding.case_text, 1, 0, sources);
  }
  const std::string entry = printable(readable(finding.kernel_entry));
  if (physical.is_null() && entry.empty() && !finding.case_text.empty()) {
    physical = physical_location(finding.case_text, 0, 0, sources);
  }
  OrderedJson location = OrderedJson::object();
  if (!physical.is_null()) location["physicalLocation"] = std::move(physical);
  if (!entry.empty()) location["logicalLocations"] = OrderedJson::array({{{"name", entry}, {"kind", "function"}}});
  return location;
}

OrderedJson related_json(const Finding& finding, const SourceExcerpts& sources) {
  OrderedJson related = OrderedJson::array();
  const auto add = [&](OrderedJson physical, const std::string& text) {
    if (physical.is_null()) return;
    related.push_back({{"id", related.size()}, {"physicalLocation", std::move(physical)}, {"message", message(text)}});
  };
  if (finding.other_location) add(physical_location(*finding.other_location, sources), "the other access");
  if (finding.location) {
    const FindingLocation& location = *finding.location;
    for (size_t n = 1; n < location.inlined.size(); ++n) {
      const SourcePosition& call = location.inlined[n];
      const std::string& function = location.inlined[n - 1].function;
      add(physical_location(call.file, call.line, call.column, sources),
          function.empty() ? "inlined here" : readable(function) + " is inlined here");
    }
    if (!location.file.empty() && !location.ptx_file.empty() && location.ptx_line) {
      add(physical_location(location.ptx_file, location.ptx_line, 0, sources), "the PTX: " + location.instruction);
    }
  }
  return related;
}

OrderedJson properties_json(const Finding& finding) {
  OrderedJson properties = {{"kernel", printable(kernel_of(finding))}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) properties[key] = printable(text);
  };
  for (const Fact& fact : facts_of(finding)) add(fact.label.c_str(), fact.text);
  if (finding.cause) {
    add("cause", finding.cause->id);
    OrderedJson evidence = OrderedJson::array();
    for (const std::string& line : finding.cause->evidence) evidence.push_back(printable(line));
    properties["evidence"] = std::move(evidence);
  }
  add("case", finding.case_text);
  add("minimalCase", finding.minimal_case);
  add("replay", finding.replay);
  for (const std::string& bug : finding.related) properties["related"].push_back(printable(bug));
  return properties;
}

OrderedJson result_json(const Finding& finding, size_t rule_index, const SourceExcerpts& sources, bool has_baseline) {
  OrderedJson result = {{"ruleId", name_of(finding.rule)},
                        {"ruleIndex", rule_index},
                        {"level", name_of(finding.severity)},
                        {"message", message(sentences_of(finding))},
                        {"locations", OrderedJson::array({location_json(finding, sources)})}};
  OrderedJson related = related_json(finding, sources);
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  result["partialFingerprints"] = {{"ropewalkFinding/v1", finding.id}};
  if (finding.occurrences.accesses > 0) result["occurrenceCount"] = finding.occurrences.accesses;
  const bool known = finding.waiver && finding.waiver->by == Waiver::By::Baseline;
  if (has_baseline) result["baselineState"] = known ? "unchanged" : "new";
  if (finding.waiver && !known) {
    result["suppressions"] =
        OrderedJson::array({{{"kind", "external"}, {"justification", printable(finding.waiver->reason)}}});
  }
  result["properties"] = properties_json(finding);
  return result;
}

// What did not run, and remarks about the run.
OrderedJson notifications_json(const Report& report) {
  OrderedJson notifications = OrderedJson::array();
  for (const NotRunCase& left : report.not_run) {
    notifications.push_back(
        {{"level", "error"}, {"message", message("not run: " + left.case_text + ": " + left.reason)}});
  }
  for (const std::string& note : report.notes) {
    notifications.push_back({{"level", "note"}, {"message", message(note)}});
  }
  return notifications;
}

OrderedJson run_json(const Report& report) {
  const std::vector<const RuleInfo*> rules = broken_rules(report);
  OrderedJson rules_json = OrderedJson::array(), results = OrderedJson::array();
  for (const RuleInfo* rule : rules) rules_json.push_back(rule_json(*rule));
  const bool has_baseline = std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.waiver && finding.waiver->by == Waiver::By::Baseline;
  });
  for (const Finding& finding : report.findings) {
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const RuleInfo* info) { return info->rule == finding.rule; });
    results.push_back(result_json(finding, size_t(rule - rules.begin()), report.sources, has_baseline));
  }
  const VerdictWords words = verdict_words(report);
  return {
      {"tool", {{"driver", {{"name", report.tool}, {"version", report.version}, {"rules", std::move(rules_json)}}}}},
      {"originalUriBaseIds",
       {{"%SRCROOT%", {{"description", {{"text", "The folder that the paths in the PTX are relative to."}}}}}}},
      {"invocations", OrderedJson::array({{{"commandLine", printable(report.command)},
                                           {"executionSuccessful", report.summary.verdict != Verdict::NotRun},
                                           {"toolExecutionNotifications", notifications_json(report)}}})},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)},
      {"properties",
       {{"verdict", name_of(report.summary.verdict)},
        {"summary", words.word + ": " + words.text},
        {"seed", report.seed},
        {"executor", report.executor}}}};
}

}  // namespace

// One run with the rules that were broken, each with its page; every finding a result at its source line, or where the
// PTX has none at the PTX line. The calls that it was inlined by and the other side of a race are related locations.
// Cases that did not run are notifications of the invocation. Paths are URIs relative to %SRCROOT%.
std::string sarif_of(const Report& report) {
  const OrderedJson json = {
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", OrderedJson::array({run_json(report)})}};
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ropewalk::reports
