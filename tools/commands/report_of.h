// The report of any command that checks something.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Throws InputError as the command's own function does. Not for the atlas, which judges as well as it reports.
Report report_of(const Request& request);

}  // namespace ropewalk
