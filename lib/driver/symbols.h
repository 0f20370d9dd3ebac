// The functions of programs and libraries, by their addresses.
#pragma once
#include <string>

#include "lib/base/types.h"

namespace ropewalk::driver {

// The name that the function at `offset` from the start of the file's image is linked by, as the file's symbol table
// says: also of functions that are not exported. Empty: the table does not know it, or there is none.
std::string symbol_in_file(const std::string& path, u64 offset);

}  // namespace ropewalk::driver
