// Runs a plan's cases and gathers what they find into a report.
#pragma once
#include "reports/report.h"
#include "tools/commands/plan.h"

namespace ropewalk {

// The report is the same whatever --jobs is, but for the time it took.
Report run(const Plan& plan, const Request& request);

}  // namespace ropewalk
