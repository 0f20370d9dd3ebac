// The options of a load or of a linker (CUjit_option), of which the logs matter.
#pragma once
#include <string>

namespace ropewalk::driver {

struct JitOptions {
  unsigned count = 0;
  const int* options = nullptr;
  void** values = nullptr;

  // Writes the log of errors into the program's buffer, ended by a zero, and how much of it there is into its size; the
  // log of notes is empty.
  void write_log(const std::string& errors) const;
};

}  // namespace ropewalk::driver
