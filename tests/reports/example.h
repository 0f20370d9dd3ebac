// The report that the golden files show.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk::testing {

// A report with a finding of every form: out of bounds with cause and footprint, a race of two threads, a wrong output,
// a launch limit without a location; and a case that did not run.
reports::Report example_report();

// The excerpts that go with it.
std::optional<std::string> example_source_line(const std::string& file, u64 line);

// Compares with tests/reports/golden/NAME; writes the file instead where the environment says ROPEWALK_UPDATE_GOLDEN=1.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace ropewalk::testing
