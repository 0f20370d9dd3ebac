// A caller held against a provider.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// A case is a call. Throws InputError where a side cannot be read.
Report check_compatibility(const CompatOptions& options, const Request& request);

}  // namespace ropewalk
