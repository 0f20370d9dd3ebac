// Which part of its space each access may touch.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Gives accesses to shared, local and parameter memory whose address comes from known variables the bytes from the
// first of these to the end of the last (MemoryStep::first_byte, last_byte), so that an overrun from one into the next
// is outside.
void narrow_to_variables(Code& code);

}  // namespace ropewalk::machine
