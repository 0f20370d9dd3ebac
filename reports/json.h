// The report as JSON, "ropewalk.report/1"; its JSON Schema is reports/schema/report-1.schema.json.
#pragma once
#include <string>
#include <string_view>

#include "reports/report.h"

namespace ropewalk::reports {

// The report as indented JSON text with a newline at its end. Numbers that JSON has no words for are the strings "NaN",
// "Infinity" and "-Infinity".
std::string json_of(const Report& report);

// Reads what json_of writes. Keys it does not know are passed over: the schema may have grown.
// Throws InputError with `path` and the line (malformed JSON) or the field (a value that does not fit).
Report parse_json_report(std::string_view text, const std::string& path);

}  // namespace ropewalk::reports
