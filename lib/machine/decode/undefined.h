// Registers that some path reads before it writes them.
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// Values (registers and temporaries) for which it cannot be shown that every path to every read writes them first.
std::vector<u32> registers_read_before_written(const Code& code);

}  // namespace ropewalk::machine
