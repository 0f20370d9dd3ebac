// The functions of programs and libraries, by their addresses.
#pragma once
#include <string>
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::driver {

// The name that the function at `offset` from the start of the file's image is linked by, as the file's symbol table
// says: also of functions that are not exported. Empty: the table does not know it, or there is none.
std::string symbol_in_file(const std::string& path, u64 offset);

// Whether a program or library has kernels in it.
bool has_kernels(const std::string& path);

// Whether a name that the program itself links to, or has, contains this.
bool program_links(std::string_view part);

}  // namespace ropewalk::driver
