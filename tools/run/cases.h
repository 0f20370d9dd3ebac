// Runs cases, and keeps what came of each.
#pragma once
#include <string>
#include <vector>

#include "lib/launch/outcome.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/coverage.h"

namespace ropewalk::tools {

// What came of one case, without the tensors.
struct CaseResult {
  bool run = false;
  std::string not_run;  // why it did not run, or not to its end
  std::vector<Finding> findings;
  Statistics statistics;
  std::vector<std::string> printed;
  std::vector<DeviceRun> device_runs;
  std::string no_device_runs;
  std::vector<std::string> notes;  // of the executor
  double seconds = 0;              // of the whole case, not of the launch alone
  MadeChecks checks;
  reports::NotRunFault fault = reports::NotRunFault::None;  // of what did not run
};

// How a launch is run by the options that all commands share.
RunOptions run_options_of(const SharedOptions& shared, u32 threads);

// Runs all cases, each on one thread where there are several, else one on all threads. What one case throws is why that
// case did not run: it costs the others nothing. Without the executor that is asked for, no case is run.
std::vector<CaseResult> run_cases(const Plan& plan, const SharedOptions& shared);

}  // namespace ropewalk::tools
