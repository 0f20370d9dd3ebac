// How wide the scalars are that a kernel stores: where structs are kept in memory, that is how far they are padded.
#pragma once
#include <map>

#include "lib/base/types.h"

namespace ropewalk::machine {

struct Code;

// In bytes: 8 or 4 where such a number is surely one scalar (of 64 bits, or an f32: an integer of 32 bits may be a pair
// of halves), 0 where none is.
struct ScalarWidths {
  std::map<u32, u32> shared;  // by variable; no_value: where the variable is not known, which may be any
  u32 local = 0;

  u32 in_shared(u32 variable) const;
};

ScalarWidths scalar_widths(const Code& code);

}  // namespace ropewalk::machine
