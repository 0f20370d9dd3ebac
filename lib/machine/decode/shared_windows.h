// Which part of shared memory each access may touch.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Gives accesses to shared memory whose address comes from known variables the bytes from the first of these to the end
// of the last (MemoryStep::shared_first, shared_last), so that an overrun from one array into the next is outside.
void narrow_shared_accesses(Code& code);

}  // namespace ropewalk::machine
