// Which values point into local memory, whatever else is true: in a debug build each variable lies there, and is
// reached by generic addresses.
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// By value: every step that writes it makes it of the address of a local variable (cvta.local): by moves, selections,
// an offset, or a load of an argument that was passed in a .param variable.
std::vector<bool> local_pointers(const Code& code);

}  // namespace ropewalk::machine
