// Runs a plan's cases and gathers what they find into a report.
#pragma once
#include "reports/report.h"
#include "tools/run/cases.h"

namespace ropewalk {

// A report with nothing in it but who was asked, and how: for what no executor of the options runs. `seed` is the one where
// the options name none.
Report blank_report(const Request& request, u64 seed);

// The same with the executor. Throws InputError where that can make none of the checks that were asked for; a note
// tells of some. Which checks were made is told by who made them.
Report new_report(const Request& request, u64 seed);

// The report of cases that were run; its duration is left to the caller.
Report report_of(const Plan& plan, std::vector<CaseResult> results, const Request& request);

// The report is the same whatever --jobs is, but for the time it took.
Report run(const Plan& plan, const Request& request);

}  // namespace ropewalk
