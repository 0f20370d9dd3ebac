// Addresses that are no multiple of the access's size: a fault on every GPU.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// How far an address is off the alignment that the access wants.
std::string misalignment_text(u32 bytes, u64 address, u32 wanted);

}  // namespace ropewalk::machine
