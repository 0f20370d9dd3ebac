// The report as Markdown (GitHub's dialect), for step summaries and merge requests.
#pragma once
#include <string>
#include <string_view>

#include "reports/report.h"

namespace ropewalk {

// The verdict, the findings by cause with their places and replay commands, what did not run, and the coverage. At most
// 100 findings are shown in full (a step summary holds 1 MiB); the rest is counted.
std::string markdown_of(const Report& report);

// The text with everything that Markdown would read as markup escaped, in one line.
std::string escaped_for_markdown(std::string_view text);
// The text as code within a line, whatever backticks it holds.
std::string markdown_code(std::string_view text);

}  // namespace ropewalk
