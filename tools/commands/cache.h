// Dumped caches to a report.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Throws InputError where a file or the configuration cannot be read.
Report check_caches(const CacheOptions& options, const Request& request);

}  // namespace ropewalk
