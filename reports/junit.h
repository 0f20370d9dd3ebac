// The report as JUnit XML, for the test pages of CI systems; after junit-10.xsd of Jenkins' xUnit plugin.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk {

// A test suite for each kernel that something is said of. A finding is a test case: one that fails the run is a
// failure, a waived one is skipped with its reason, a warning or a note passes and is reported in its output. A case
// that did not run is an error, so that it never counts as passed. Cases without findings are one test case with their
// number in its name.
std::string junit_of(const Report& report);

}  // namespace ropewalk
