#include <cmath>

#include "reports/json_finding.h"
#include "reports/json_values.h"
#include "reports/readable.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

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
          {"field", text_or_null(access->region)}};
}

OrderedJson thread_json(const std::optional<ThreadId>& id) {
  if (!id) return nullptr;
  return {{"block", id->block}, {"thread", id->thread}};
}

OrderedJson occurrences_json(const Occurrences& seen) {
  OrderedJson json = {
      {"accesses", seen.accesses}, {"threads", seen.threads}, {"blocks", seen.blocks}, {"cases", seen.cases}};
  if (seen.at_least) json["at_least"] = true;
  if (!seen.ranks.empty()) json["ranks"] = seen.ranks;
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

}  // namespace

OrderedJson finding_json(const Finding& finding) {
  OrderedJson json = {{"id", finding.id},
                      {"rule", name_of(finding.rule)},
                      {"severity", name_of(finding.severity)},
                      {"message", readable(finding.message)},
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

}  // namespace ropewalk::reports
