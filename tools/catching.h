// The last line of defence: exceptions become one line on standard error and an exit code.
#pragma once
#include <functional>

#include "tools/exit_code.h"

namespace ropewalk::tools {

// Runs `body`. InputError ends as BadUsage; anything else that is thrown is our own fault.
ExitCode catching(const char* program, const std::function<ExitCode()>& body);

}  // namespace ropewalk::tools
