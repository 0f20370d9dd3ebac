// The command `run`: a program that uses CUDA, with the checked machine in the place of its GPU.
#pragma once
#include "tools/exit_code.h"
#include "tools/options/request.h"

namespace ropewalk::tools {

// Runs the program, tells on standard error what was found, and writes the report files. The exit code is that of the
// verdict; where there are findings that of --error-exitcode, where there are none and the program's own is not 0 that,
// and 128 + signal where one interrupted it (lib/base/run_command.h). Throws InputError where the program cannot be
// started.
ExitCode run_program_on_machine(const RunRequest& options, const Request& request);

}  // namespace ropewalk::tools
