// Accesses outside of every tensor, or outside of the shared, local or constant memory that there is.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// Why an access has no tensor: its address is null, or lies nowhere.
std::string no_tensor_text(u64 address);

}  // namespace ropewalk::machine
