// Whether what a kernel loads decides where it goes.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Whether some address, branch or predicate depends on a number that the kernel loads from memory or gets from other
// threads. If none does, each thread makes the same accesses whatever the memory holds.
bool goes_by_data(const Code& code);

}  // namespace ropewalk::machine
