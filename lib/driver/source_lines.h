// Lines of a program's own source, by its debug information.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::driver {

struct CodeLine {
  std::string function;  // as the linker knows it, or its plain name
  std::string file;
  u64 line = 0;
};

// Of the code at an address of this process, the innermost first where functions were inlined there. Empty: it was
// built without -g, or this library without libbacktrace.
std::vector<CodeLine> source_lines_at(u64 address);

}  // namespace ropewalk::driver
