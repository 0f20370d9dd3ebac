// Long names of C++ made short enough for a terminal.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::reports {

// readable(), and what is long in it left out: template arguments and parameters of more than some eighty letters, and
// the versions in the names of CUB and Thrust: "cub::DeviceSelectSweepKernel<...>".
std::string brief(std::string_view text);

// The evidence without frames of the system's headers (files in /usr) and of libraries in the midst of a stack: what
// called first and what is the program's own stays.
std::vector<std::string> brief_stacks(const std::vector<std::string>& evidence);

// Of evidence, the first line of a stack that is of the program's own source: "main (main.cu:5)". For a finding in a
// header of the system.
std::optional<std::string> own_line(const std::vector<std::string>& evidence);

}  // namespace ropewalk::reports
