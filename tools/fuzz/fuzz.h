// `rope-check fuzz`: a campaign, from the options to the report.
#pragma once
#include "reports/report.h"
#include "tools/exit_code.h"
#include "tools/options/request.h"

namespace ropewalk {

// Throws InputError where a kernel is not known, or the corpus cannot be read or written.
Report fuzz(const FuzzOptions& options, const Request& request);
// The same, put out as the options say.
ExitCode run_fuzz(const FuzzOptions& options, const Request& request);

}  // namespace ropewalk
