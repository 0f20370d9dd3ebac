// What both programs do with a command line.
#pragma once
#include "tools/options/program.h"

namespace ropewalk::tools {

// The whole of `main`: parse, plan, run, report; gives the exit code.
int run_program(const Program& program, int count, char** words);

}  // namespace ropewalk::tools
