// Runs a plan's cases and gathers what they find into a report.
#pragma once
#include "lib/base/stopwatch.h"
#include "lib/finding/answer.h"
#include "reports/report.h"
#include "tools/run/cases.h"

namespace ropewalk::tools {

// A report with nothing in it but who was asked, and how: for what no executor of the options runs. `seed` is the one
// where the options name none.
reports::Report blank_report(const Request& request, u64 seed);

// The same with the executor. Throws InputError where that can make none of the checks that were asked for; a note
// names some. Which checks were made is reported by who made them.
reports::Report new_report(const Request& request, u64 seed);

// The report with what all have at their end: of each finding the command that shows it again (the request's own where
// nobody gave another) and its id, the verdict, and the time since the watch was started.
reports::Report finished(reports::Report report, const Request& request, const Stopwatch& watch);

// The report of what no executor runs. `checks` are those that were made.
reports::Report report_of(Answer answer, const std::string& executor, std::vector<std::string> checks,
                          const Request& request, const Stopwatch& watch);

// The report of cases that were run.
reports::Report report_of(const Plan& plan, std::vector<CaseResult> results, const Request& request,
                          const Stopwatch& watch);

// The report is the same whatever --jobs is, but for the time it took.
reports::Report run(const Plan& plan, const Request& request);

}  // namespace ropewalk::tools
