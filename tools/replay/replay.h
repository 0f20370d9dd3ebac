// `rope-check replay`: the findings of a report, shown again.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Runs the command that each finding ends with, or those of one finding, and reports which of them show again. Notes
// say which do not, and whose kernel has another PTX than when it was found. Throws InputError where the file is no
// report or has no finding of that id.
Report replay(const ReplayOptions& options, const Request& request);

}  // namespace ropewalk
