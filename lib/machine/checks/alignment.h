// Addresses that are no multiple of the access's size: a fault on every GPU.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// Whether an access is off the alignment that it wants and begins in [start, extent): aligned it would stand inside,
// and a GPU stops for that, whatever lies past the end.
constexpr bool is_misaligned_inside(i64 offset, i64 start, u64 extent, u64 address, u32 wanted) {
  return address % wanted != 0 && offset >= start && offset >= 0 && u64(offset) < extent;
}

// How far an address is off the alignment that the access wants.
std::string misalignment_text(u32 bytes, u64 address, u32 wanted);

}  // namespace ropewalk::machine
