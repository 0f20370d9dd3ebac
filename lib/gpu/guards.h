// What lies around the tensors of a launch on a device.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::gpu {

// Each tensor is mapped by itself between unmapped pages, at whose border one of its ends lies; what is mapped beside
// it holds poison. Where a device maps no memory by hand, or has no room for whole pages, zones take the pages' place.
enum class Guards : u8 {
  End,    // it ends where the mapped memory ends, as far as its alignment allows
  Start,  // it starts where the mapped memory starts
  Zones,  // it lies between zones of poison that belong to the same allocation
  None    // its bytes alone are allocated: for tools that watch allocations themselves
};

// Their names, in this order.
inline constexpr const char* guard_names[] = {"end", "start", "zones", "none"};

}  // namespace ropewalk::gpu
