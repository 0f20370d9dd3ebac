// `rope-check fuzz`: a campaign, from the options to the report.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Throws InputError where a kernel is not known, or the corpus cannot be read or written.
Report fuzz(const FuzzOptions& options, const Request& request);

}  // namespace ropewalk
