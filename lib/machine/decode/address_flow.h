// Which 32-bit arithmetic flows into addresses.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Sets Step::overflow_matters on every 32-bit addition, product and shift whose result reaches, through further
// arithmetic and an extension to 64 bits, shuffles, shared and local memory, the address of a memory access. It does
// not reach beyond what brings it back into range (see overflow.h): a mask whose sign bit is not set for sure, a shift
// to the right, a remainder.
void mark_address_arithmetic(Code& code);

}  // namespace ropewalk::machine
