// What a traced run came to, as texts.
#pragma once
#include <string>

#include "lib/trace/trace_report.h"
#include "reports/report.h"

namespace ropewalk::reports {

// Errors are findings; a run of which nothing is known, or of which some process was not traced, is not clean.
Verdict verdict_of(const trace::TraceReport& report);

// "ropewalk.trace/1", whose JSON Schema is reports/schema/trace-1.schema.json: indented, with a newline at its end.
// Addresses are hexadecimal texts.
std::string trace_json(const trace::TraceReport& report);

// For people.
std::string trace_text(const trace::TraceReport& report);

}  // namespace ropewalk::reports
