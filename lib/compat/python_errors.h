// Python's errors: which except clauses catch them.
#pragma once
#include <string>

#include "lib/compat/python_node.h"

namespace ropewalk::compat {

// Whether a handler catches an error of this class.
bool catches(const PythonNode& handler, const std::string& error);

}  // namespace ropewalk::compat
