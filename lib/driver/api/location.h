// Where memory lies and who may touch it, as the API says it.
#pragma once

namespace ropewalk::driver {

struct Location {  // CUmemLocation
  static constexpr int of_device = 1;
  int type, number;
};
struct AccessWish {  // CUmemAccessDesc
  static constexpr int none = 0, read_and_write = 3;
  Location location;
  int flags;
};
static_assert(sizeof(AccessWish) == 12);

}  // namespace ropewalk::driver
