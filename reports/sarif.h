// The report as SARIF 2.1.0 (OASIS Standard), as code scanning shows it.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk {

// One run with the rules that were broken, each with its page; every finding a result at its source line, or where the
// PTX has none at the PTX line. The calls that it was inlined by and the other side of a race are related locations.
// Cases that did not run are notifications of the invocation. Paths are URIs relative to %SRCROOT%.
std::string sarif_of(const Report& report);

}  // namespace ropewalk
