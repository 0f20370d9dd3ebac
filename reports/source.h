// Lines of source files, for the excerpts in a report.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

// The text of a line (1-based) of a source file as the PTX names it; nullopt where it cannot be read.
using SourceLines = std::function<std::optional<std::string>(const std::string& file, u64 line)>;

// Reads from the file system: the path as it is, then relative to each of `folders`.
SourceLines source_lines_from(std::vector<std::string> folders);

}  // namespace ropewalk
