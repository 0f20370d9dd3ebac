#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json.h"
#include "reports/json_campaign.h"

namespace ropewalk {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson text_or_null(const std::string& text) { return text.empty() ? OrderedJson(nullptr) : OrderedJson(text); }

template <class T>
OrderedJson value_or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

OrderedJson line_or_null(u64 line) { return line ? OrderedJson(line) : OrderedJson(nullptr); }

OrderedJson number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (std::isnan(*value)) return "NaN";
  if (std::isinf(*value)) return *value > 0 ? "Infinity" : "-Infinity";
  return *value;
}

OrderedJson location_json(const std::optional<FindingLocation>& location) {
  if (!location) return nullptr;
  OrderedJson inlined = OrderedJson::array();
  for (const SourcePosition& position : location->inlined) {
    inlined.push_back({{"file", position.file},
                       {"line", position.line},
                       {"column", position.column},
                       {"function", text_or_null(position.function)}});
  }
  return {{"file", text_or_null(location->file)},
          {"line", line_or_null(location->line)},
          {"column", line_or_null(location->column)},
          {"inlined", std::move(inlined)},
          {"ptx_file", text_or_null(location->ptx_file)},
          {"ptx_line", line_or_null(location->ptx_line)},
          {"instruction", text_or_null(location->instruction)}};
}

OrderedJson access_json(const std::optional<Access>& access) {
  if (!access) return nullptr;
  return {{"space", text_or_null(access->space)},
          {"bytes", access->bytes},
          {"tensor", text_or_null(access->tensor)},
          {"argument", value_or_null(access->argument)},
          {"index", value_or_null(access->index)},
          {"shape", access->shape},
          {"dtype", text_or_null(access->dtype)},
          {"byte_offset", value_or_null(access->byte_offset)},
          {"bytes_past_end", value_or_null(access->bytes_past_end)},
          {"bytes_before_start", value_or_null(access->bytes_before_start)},
          {"field", text_or_null(access->field)}};
}

OrderedJson thread_json(const std::optional<ThreadId>& id) {
  if (!id) return nullptr;
  return {{"block", id->block}, {"thread", id->thread}};
}

OrderedJson occurrences_json(const Occurrences& seen) {
  OrderedJson json = {
      {"accesses", seen.accesses}, {"threads", seen.threads}, {"blocks", seen.blocks}, {"cases", seen.cases}};
  if (seen.at_least) json["at_least"] = true;
  return json;
}

OrderedJson numbers_json(const std::optional<Numbers>& numbers) {
  if (!numbers) return nullptr;
  return {{"got", number(numbers->got)},
          {"expected", number(numbers->expected)},
          {"bound", number(numbers->bound)},
          {"index", value_or_null(numbers->index)}};
}

OrderedJson cause_json(const std::optional<Cause>& cause) {
  if (!cause) return nullptr;
  return {{"id", cause->id}, {"text", cause->text}, {"evidence", cause->evidence}, {"advice", cause->advice}};
}

OrderedJson footprint_json(const Footprint& footprint) {
  if (footprint.elements.empty()) return nullptr;
  return {{"tensor", footprint.tensor},
          {"shape", footprint.shape},
          {"elements", footprint.elements},
          {"complete", footprint.complete}};
}

OrderedJson kernel_json(const Finding& finding) {
  OrderedJson json = {{"name", finding.kernel_name}, {"entry", finding.kernel_entry}};
  if (!finding.ptx_hash.empty()) json["ptx_hash"] = finding.ptx_hash;
  return json;
}

OrderedJson waiver_json(const std::optional<Waiver>& waiver) {
  if (!waiver) return nullptr;
  return {{"by", name_of(waiver->by)}, {"reason", waiver->reason}};
}

// An object of files, each an object of lines.
OrderedJson sources_json(const SourceExcerpts& sources) {
  OrderedJson files = OrderedJson::object();
  for (const auto& [file, lines] : sources) {
    OrderedJson& texts = files[file] = OrderedJson::object();
    for (const auto& [line, text] : lines) texts[std::to_string(line)] = text;
  }
  return files;
}

OrderedJson finding_json(const Finding& finding) {
  OrderedJson json = {{"id", finding.id},
               {"rule", name_of(finding.rule)},
               {"severity", name_of(finding.severity)},
               {"message", finding.message},
               {"excused", waiver_json(finding.waiver)},
               {"kernel", kernel_json(finding)},
               {"location", location_json(finding.location)},
               {"access", access_json(finding.access)},
               {"thread", thread_json(finding.thread)},
               {"other_thread", thread_json(finding.other_thread)},
               {"other_location", location_json(finding.other_location)},
               {"occurrences", occurrences_json(finding.occurrences)},
               {"numbers", numbers_json(finding.numbers)},
               {"cause", cause_json(finding.cause)},
               {"evidence", finding.evidence},
               {"case", text_or_null(finding.case_text)},
               {"minimal_case", text_or_null(finding.minimal_case)},
               {"replay", text_or_null(finding.replay)},
               {"related", finding.related},
               {"footprint", footprint_json(finding.footprint)}};
  if (!finding.shared_id.empty()) json["shared_id"] = finding.shared_id;
  if (finding.case_number) json["case_number"] = *finding.case_number;
  return json;
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
  if (report.campaign) json["campaign"] = campaign_json(*report.campaign);
  std::string text;
  write(json, 0, text);
  return text + "\n";
}

}  // namespace ropewalk
