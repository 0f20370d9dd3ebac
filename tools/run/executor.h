// The executor that --executor names.
#pragma once
#include <memory>
#include <string>

#include "lib/launch/outcome.h"
#include "tools/options/shared.h"

namespace ropewalk::tools {

// "machine", "instrumented", "gpu".
std::string name_of(ExecutorChoice choice);

// Why this build cannot run that executor; empty where it can.
std::string why_unavailable(ExecutorChoice choice);

// The checks that it can make.
CheckSet checks_of(ExecutorChoice choice);

// The executor of these options, a new one. Only for those that why_unavailable has nothing against.
std::unique_ptr<Executor> make_executor(const SharedOptions& shared);

}  // namespace ropewalk::tools
