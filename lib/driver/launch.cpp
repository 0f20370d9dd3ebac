#include "lib/driver/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/driver/module.h"

namespace ropewalk::driver {

namespace {

// Whether it is one of those that are checked.
bool is_asked_for(const Options& options, const Kernel& kernel, u64& matching) {
  const auto is_part = [&](const std::string& part) {
    return kernel.entry.name.find(part) != std::string::npos || kernel.shown_name.find(part) != std::string::npos;
  };
  if (!options.kernels.empty() && std::ranges::none_of(options.kernels, is_part)) return false;
  const u64 number = matching++;
  return number >= options.launch_skip &&
         (!options.launch_count || number - options.launch_skip < options.launch_count);
}

RunOptions run_options(const Options& options, bool is_checked) {
  RunOptions out;
  out.checks = options.checks;
  if (!is_checked) {
    out.checks = {};
    out.checks.add(Check::Hang);  // an assertion or a trap ends a context as on a GPU
  }
  out.strict = options.strict;
  out.contract = options.contract;
  out.threads = options.jobs;
  out.seconds = options.seconds;
  return out;
}

std::vector<std::string> with_callers(const std::string& what, const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < lines.size(); ++n) out.push_back((n ? "  called by " : what + " at ") + lines[n]);
  return out;
}

// Where the launch was made, and the memory that the finding is about.
void add_evidence(Finding& finding, const LaunchRequest& request, const Launch& launch, DeviceMemory& memory,
                  const std::vector<std::string>& stack) {
  const auto add = [&](const std::vector<std::string>& lines) {
    finding.evidence.insert(finding.evidence.end(), lines.begin(), lines.end());
  };
  add({fmt::format("launch {} of the kernel, grid ({}, {}, {}), block ({}, {}, {})", request.kernel->launches,
                   launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z)});
  add(with_callers("launched", stack));
  if (!finding.access) return;
  const i64 number = launch.tensor_named(finding.access->tensor);
  if (number < 0 || !launch.tensors[u64(number)].resident) return;
  const MemoryPlace place = memory.find(launch.tensors[u64(number)].resident->address);
  if (!place.allocation) return;
  const Allocation& at = *place.allocation;
  add(with_callers(fmt::format("{} is {}, made", finding.access->tensor, at.text()), at.made_at.lines()));
  if (at.freed) add(with_callers(fmt::format("it was freed by {}", at.freed_by), at.freed_at.lines()));
}

// What ends a context on a GPU; a trap is an unspecified failure there.
Result answer_of(const Finding& finding) {
  const bool is_trap = finding.location && finding.location->instruction.find("trap") != std::string::npos;
  switch (finding.rule) {
    case Rule::DeviceAssert:
      return is_trap ? Result::LaunchFailed : Result::Assert;
    case Rule::LaunchFailed:
      return Result::LaunchFailed;
    case Rule::LaunchLimit:
      return Result::InvalidValue;
    default:
      return Result::Success;
  }
}

}  // namespace

std::vector<std::byte> pack_parameters(const Kernel& kernel, void** values) {
  std::vector<std::byte> out(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    std::memcpy(out.data() + kernel.parameters[n].offset, values[n], kernel.parameters[n].bytes);
  }
  return out;
}

Result launch(Session& session, const LaunchRequest& request) {
  Kernel& kernel = *request.kernel;
  ++kernel.launches;
  const Options& options = session.options();
  const bool is_checked = is_asked_for(options, kernel, session.matching_launches);
  Outcome outcome;
  Launch launch;
  try {
    launch = launch_of(session, request);
    outcome = session.machine().run(launch, run_options(options, is_checked));
  } catch (const InputError& error) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = error.what();
  }
  session.record().launch(kernel.shown_name, is_checked ? &outcome.statistics : nullptr);
  session.print(outcome.printed);
  if (outcome.kind == OutcomeKind::NotRun) {
    session.record().not_run(kernel.shown_name, outcome.reason);
    if (session.on_not_run) session.on_not_run(outcome.reason);
  }
  Result result = Result::Success;
  if (!outcome.findings.empty()) {
    const std::vector<std::string> stack = request.stack.empty() ? CallStack::here().lines() : request.stack;
    for (Finding& finding : outcome.findings) {
      // Some kernels reach a packed neighbour on purpose.
      if (finding.rule == Rule::IndexOutOfField) finding.severity = Severity::Warning;
      if (result == Result::Success) result = answer_of(finding);
      add_evidence(finding, request, launch, session.memory(), stack);
      session.report(std::move(finding));
    }
  }
  return result;
}

}  // namespace ropewalk::driver
