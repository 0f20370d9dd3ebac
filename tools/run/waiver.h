// What is known and what is suppressed, as the options say.
#pragma once
#include "reports/report.h"
#include "tools/options/shared.h"

namespace ropewalk::tools {

// Waives the findings that the suppressions fit and those that the baseline has, and concludes again. Does nothing
// where neither is given. Throws InputError where a file cannot be read.
void waive_findings(reports::Report& report, const SharedOptions& options);

}  // namespace ropewalk::tools
