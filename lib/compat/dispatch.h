// Functions that a file chooses from a table of its own by the provider's version.
#pragma once
#include <map>
#include <string>

#include "lib/compat/version_tests.h"

namespace ropewalk::compat {

// By the name of a function, the expression that chooses: KERNELS["new" if is_new else "old"]. The function is in a
// list or mapping of the file, or is put there by a decorator, and nothing else in the file names it or looks into the
// table.
std::map<std::string, std::string> chosen_by_version(const PythonFile& file, const VersionTests& tests);

}  // namespace ropewalk::compat
