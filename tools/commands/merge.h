// `rope-check merge`: several reports made one.
#pragma once
#include "reports/report.h"
#include "tools/options/request.h"

namespace ropewalk {

// Reads the reports and joins them. One alone stays as it is, for --report to write it in another format. Throws
// InputError where a file is no report, or shards do not belong together.
Report merge_reports(const MergeOptions& options, const Request& request);

}  // namespace ropewalk
