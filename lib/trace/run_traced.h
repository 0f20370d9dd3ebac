// Runs a program with the injected library.
#pragma once
#include <string>
#include <vector>

#include "lib/base/run_command.h"
#include "lib/base/types.h"

namespace ropewalk::trace {

struct TraceOptions {
  std::vector<std::string> command;
  u64 keep = 32;           // launches
  bool serialize = false;  // wait after every launch
  u64 save_bytes = 0;      // memory saved before a launch; 0: none
  u64 at = 0;              // the one launch that is saved; 0: each
};

// Runs the command with the library at `library`, which leaves its records in `folder`, and waits for its end. The
// program has our standard input, output and error.
ProgramEnd run_traced(const TraceOptions& options, const std::string& library, const std::string& folder);

// The library beside this program, or in the folder lib next to its own. Throws InputError where it is in neither.
std::string find_library();

// The paths of the records in the folder, sorted.
std::vector<std::string> records_in(const std::string& folder);

}  // namespace ropewalk::trace
