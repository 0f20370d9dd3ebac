// The text of --help, as wide as whoever reads it.
#pragma once
#include <string>

#include "lib/base/types.h"

namespace ropewalk::tools {

// Columns of the terminal on standard output, at least 50 and at most 120; 80 where it is none.
u64 help_width();

// The help that CLI11 makes, with lines of at most `width` columns where words allow it. What an option or a command
// does stands in a column of its own.
std::string wrapped_help(const std::string& text, u64 width);

}  // namespace ropewalk::tools
