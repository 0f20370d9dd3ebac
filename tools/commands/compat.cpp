#include "tools/commands/compat.h"

#include "lib/base/stopwatch.h"
#include "lib/compat/check_compatibility.h"
#include "tools/run/run.h"

namespace ropewalk {

Report check_compatibility(const CompatOptions& options, const Request& request) {
  const Stopwatch watch;
  const Provider provider = load_provider(options.provider, options.provider_version);
  const std::unique_ptr<Caller> caller = load_caller(options.caller, provider);
  CompatAnswer answer = check_compatibility(*caller, provider);
  Report report = blank_report(request, 1);
  report.executor = "none";
  report.summary.cases = answer.calls;
  report.summary.passed = answer.healthy;
  if (answer.calls) report.coverage.checks = {"signatures"};
  report.notes = std::move(answer.notes);
  report.findings = std::move(answer.findings);
  for (Finding& finding : report.findings) finding.replay = request.command_line;
  if (!answer.not_checked.empty()) {
    report.summary.cases = 1;
    report.not_run.push_back({caller->name() + " with " + provider.name, answer.not_checked, request.command_line});
  }
  conclude(report, request.shared.strict);
  report.duration_s = watch.seconds();
  return report;
}

}  // namespace ropewalk
