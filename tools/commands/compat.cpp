#include "tools/commands/compat.h"

#include "lib/base/stopwatch.h"
#include "lib/compat/check_compatibility.h"
#include "tools/run/run.h"

namespace ropewalk {

namespace {

// Without Python's parser sources are not read, and nothing is checked.
Report not_checked(const CompatOptions& options, const Request& request, const std::string& reason) {
  Report report = blank_report(request, 1);
  report.executor = "none";
  report.summary.cases = 1;
  report.not_run.push_back({options.caller + " with " + options.provider, reason, request.command_line});
  conclude(report, request.shared.strict);
  return report;
}

Report check(const CompatOptions& options, const Request& request) {
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

}  // namespace

Report check_compatibility(const CompatOptions& options, const Request& request) {
  try {
    return check(options, request);
  } catch (const NoPython& reason) {
    return not_checked(options, request, reason.what());
  }
}

}  // namespace ropewalk
