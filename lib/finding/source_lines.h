// Sources, as far as they can be read.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "lib/base/types.h"

namespace ropewalk {

// The text of a line (1-based) of a source file, by its name in the PTX; nullopt where it cannot be read.
using SourceLines = std::function<std::optional<std::string>(const std::string& file, u64 line)>;

}  // namespace ropewalk
