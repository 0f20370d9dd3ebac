#include "tools/commands/init.h"

#include "kernels/kernels.h"
#include "lib/base/stopwatch.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"
#include "tools/run/run.h"
#include "tools/run/sources.h"

namespace ropewalk {

Report explore_plan(const InitOptions& options, const Request& request) {
  const Stopwatch watch;
  init::Plan plan = init::read_plan_file(options.file, options.ranks);
  plan.path = source_paths_of(request.shared).of_file(options.file);
  init::PlanAnswer answer = init::check_plan(plan, shipped_kernels());
  Report report = blank_report(request, 1);
  report.executor = "machine";
  report.notes = std::move(answer.notes);
  report.summary.cases = 1;
  report.summary.passed = answer.findings.empty() && !answer.cut && answer.not_judged.empty() ? 1 : 0;
  report.coverage.checks = {"init-order"};
  report.findings = std::move(answer.findings);
  for (Finding& finding : report.findings) finding.replay = request.command_line;
  if (answer.cut) {
    report.not_run.push_back(
        {options.file, "the search was cut before every order was explored", request.command_line});
  }
  for (const std::string& what : answer.not_judged)
    report.not_run.push_back({options.file, what, request.command_line});
  conclude(report, request.shared.strict);
  report.duration_s = watch.seconds();
  return report;
}

}  // namespace ropewalk
