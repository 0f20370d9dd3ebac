// Where memory lies and who may touch it, as the API says it.
#pragma once
#include "lib/driver/advice.h"

namespace ropewalk::driver {

struct AccessWish {  // CUmemAccessDesc
  static constexpr int none = 0, read_and_write = 3;
  MemoryLocation location;
  int flags;
};
static_assert(sizeof(AccessWish) == 12);

}  // namespace ropewalk::driver
