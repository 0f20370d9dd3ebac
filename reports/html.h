// The report as one HTML page that needs nothing else: style, pictures and the little script are in it.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk {

// The verdict, a list of the findings, then the findings by cause: each with its source lines, a picture of the tensor
// with the bad elements on it, the facts and the command that shows it again; what did not run, and what was looked at.
// A content security policy in the page forbids it to load anything. It follows the reader's choice of light or dark,
// fits narrow screens and prints. At most 200 findings are shown in full; the rest is counted.
std::string html_of(const Report& report);

}  // namespace ropewalk
