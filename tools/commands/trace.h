// The command `trace`: a CUDA program, run with a library that listens to its driver calls.
#pragma once
#include <string>

#include "tools/exit_code.h"
#include "tools/options/trace.h"

namespace ropewalk::tools {

// Runs the program, tells on standard error what was found, and writes the report files. Findings where a call reported
// a CUDA error; NothingChecked where the program could not be traced, or used no CUDA. Throws InputError where the
// program cannot be run or a file not be written.
ExitCode run_trace(const TraceRequest& options, const std::string& command_line);

}  // namespace ropewalk::tools
