// Which 32-bit arithmetic feeds addresses.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Sets Step::overflow_matters on every 32-bit addition, product and shift whose result reaches, through further
// arithmetic and an extension to 64 bits, the address of a memory access.
void mark_address_arithmetic(Code& code);

}  // namespace ropewalk::machine
