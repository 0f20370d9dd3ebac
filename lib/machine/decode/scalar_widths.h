// How wide the scalars are that a kernel stores: where structs are kept in memory, that is how far they are padded.
#pragma once
#include <map>

#include "lib/base/types.h"

namespace ropewalk::machine {

struct Code;

// In bytes.
struct ScalarWidth {
  u32 widest = 0;  // of all that is stored by one instruction; 0: nothing is
  u32 surely = 0;  // of what is surely one scalar: 64 bits, or an f32. An integer of 32 bits may be a pair of halves.
};

struct ScalarWidths {
  std::map<u32, ScalarWidth> shared;  // by variable; no_value: where the variable is not known, which may be any
  ScalarWidth local;

  ScalarWidth in_shared(u32 variable) const;
};

ScalarWidths scalar_widths(const Code& code);

}  // namespace ropewalk::machine
