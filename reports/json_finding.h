// A finding as JSON, as the list "findings" of a report has it.
#pragma once
#include "lib/base/json.h"
#include "lib/finding/finding.h"

namespace ropewalk::reports {

nlohmann::ordered_json finding_json(const Finding& finding);
// Reads what finding_json writes. Throws InputError with the field that does not fit.
Finding read_finding(const JsonCursor& node);

}  // namespace ropewalk::reports
