// The report as GitHub workflow commands, which become annotations on the lines of a pull request.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk {

// GitHub shows at most ten annotations of each kind for a step: so at most ten lines of commands altogether, those that
// fail the run first; where there are more findings the tenth counts the rest by rule. Then the verdict as plain text.
// Each command is one line: "::error file=...,line=...,title=...::message".
std::string github_of(const Report& report);

}  // namespace ropewalk
