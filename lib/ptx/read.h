// PTX text to module.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Reads PTX text of any version. Throws InputError with file, line, column and what was expected when the text is not
// PTX; an instruction that nobody can execute is no error here. `path` is used in messages and kept in the module.
Module read(std::string_view text, const std::string& path);
// Reads a file (memory-mapped). Throws InputError where it cannot be opened.
Module read_file(const std::string& path);

}  // namespace ropewalk::ptx
