// Lines of source files, for the excerpts in a report.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/source_lines.h"
#include "reports/report.h"

namespace ropewalk::reports {

// Reads from the file system: the path as it is, then relative to each of `folders`.
SourceLines source_lines_from(std::vector<std::string> folders);
// Out of the report itself.
SourceLines source_lines_of(const SourceExcerpts& sources);

// The lines that the findings name, each with two before and two after it; of the calls that they were inlined by the
// line alone. Very long lines are cut.
SourceExcerpts excerpts_for(const std::vector<Finding>& findings, const SourceLines& lines);

}  // namespace ropewalk::reports
