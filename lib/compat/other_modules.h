// Modules of the provider that the shipped table does not have.
#pragma once
#include <string>
#include <vector>

#include "lib/compat/provider.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// For the reader: which of their names the files import, so that calls of these are not judged. None for a provider
// whose sources were read.
std::vector<std::string> notes_on_other_modules(const std::vector<const PythonFile*>& files, const Provider& provider);

}  // namespace ropewalk::compat
