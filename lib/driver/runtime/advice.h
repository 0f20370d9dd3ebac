// Advice on managed memory, whose functions take a device in version 12 and a location from 13 on.
#pragma once
#include "lib/driver/runtime/call.h"

namespace ropewalk::driver::runtime {

struct MemoryLocation {  // cudaMemLocation
  int type, number;
};

int prefetch(const void* at, std::size_t bytes, MemoryLocation to, unsigned flags, void* stream);
int advise(const void* at, std::size_t bytes, int what, MemoryLocation location);

}  // namespace ropewalk::driver::runtime
