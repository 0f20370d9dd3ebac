// Names of the special registers.
#pragma once
#include <string_view>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// "%tid.x"; Unknown is "".
std::string_view name_of(Special special);
// Special::Unknown when `name` (with the %) is none of those that the enumeration lists.
Special special_named(std::string_view name);

}  // namespace ropewalk::ptx
