// A plan of an initialisation to a report.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Throws InputError where the plan cannot be read.
Report explore_plan(const InitOptions& options, const Request& request);

}  // namespace ropewalk
