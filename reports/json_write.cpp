#include <nlohmann/json.hpp>

#include "reports/json.h"
#include "reports/json_campaign.h"
#include "reports/json_finding.h"
#include "reports/json_values.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

// An object of files, each an object of lines.
OrderedJson sources_json(const SourceExcerpts& sources) {
  OrderedJson files = OrderedJson::object();
  for (const auto& [file, lines] : sources) {
    OrderedJson& texts = files[file] = OrderedJson::object();
    for (const auto& [line, text] : lines) texts[std::to_string(line)] = text;
  }
  return files;
}

OrderedJson device_run_json(const CaseOnDevice& one) {
  const DeviceRun& run = one.run;
  return {{"case", one.case_text},
          {"kernel", run.kernel},
          {"grid", {run.grid.x, run.grid.y, run.grid.z}},
          {"block", {run.block.x, run.block.y, run.block.z}},
          {"registers", run.registers},
          {"local_bytes", run.local_bytes},
          {"static_shared_bytes", run.static_shared_bytes},
          {"dynamic_shared_bytes", run.dynamic_shared_bytes},
          {"device", run.device},
          {"stream", run.stream},
          {"start_ns", run.start_ns},
          {"end_ns", run.end_ns}};
}

bool is_line(const OrderedJson& json) {
  if (!json.is_array()) return !json.is_structured() || json.empty();
  for (const OrderedJson& item : json) {
    if (item.is_structured()) return false;
  }
  return true;
}

// Indented by two, but a list of plain values is one line, however long: an index is read at one glance.
void write(const OrderedJson& json, size_t indent, std::string& out) {
  if (is_line(json)) {
    // Names in a PTX file may be any bytes; what is not UTF-8 becomes the replacement character.
    out += json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    return;
  }
  const bool is_object = json.is_object();
  out += is_object ? "{" : "[";
  const std::string margin = "\n" + std::string(indent + 2, ' ');
  const char* separator = "";
  for (const auto& item : json.items()) {
    out += separator + margin;
    if (is_object) out += OrderedJson(item.key()).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    write(item.value(), indent + 2, out);
    separator = ",";
  }
  out += "\n" + std::string(indent, ' ') + (is_object ? "}" : "]");
}

}  // namespace

std::string json_of(const Report& report) {
  OrderedJson findings = OrderedJson::array();
  for (const Finding& finding : report.findings) findings.push_back(finding_json(finding));
  OrderedJson not_run = OrderedJson::array();
  for (const NotRunCase& left : report.not_run) {
    not_run.push_back({{"case", left.case_text}, {"reason", left.reason}, {"replay", text_or_null(left.replay)}});
  }
  OrderedJson json = {{"schema", "ropewalk.report/1"},
                      {"tool", {{"name", report.tool}, {"version", report.version}}},
                      {"command", report.command},
                      {"seed", report.seed},
                      {"executor", report.executor},
                      {"strict", report.strict},
                      {"duration_s", report.duration_s},
                      {"summary",
                       {{"cases", report.summary.cases},
                        {"passed", report.summary.passed},
                        {"findings", report.summary.findings},
                        {"not_run", report.summary.not_run},
                        {"verdict", name_of(report.summary.verdict)}}},
                      {"coverage",
                       {{"blocks", report.coverage.blocks},
                        {"blocks_total", report.coverage.blocks_total},
                        {"thread_instructions", report.coverage.thread_instructions},
                        {"checks", report.coverage.checks}}},
                      {"findings", std::move(findings)},
                      {"not_run", std::move(not_run)},
                      {"notes", report.notes},
                      {"printed", report.printed},
                      {"sources", sources_json(report.sources)}};
  for (const CheckLeftOut& left : report.coverage.left_out) {
    json["coverage"]["left_out"].push_back({{"check", left.check}, {"reason", left.reason}});
  }
  for (const CaseOnDevice& one : report.device_runs) json["device_runs"].push_back(device_run_json(one));
  if (!report.merged.empty()) json["merged"] = report.merged;
  if (report.campaign) json["campaign"] = campaign_json(*report.campaign);
  std::string text;
  write(json, 0, text);
  return text + "\n";
}

}  // namespace ropewalk::reports
