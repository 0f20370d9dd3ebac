// What memory holds that nobody filled, as to_empty() gives it back.
#pragma once
#include <vector>

#include "lib/base/random.h"

namespace ropewalk::rope {

enum class MemoryHolds : u8 {
  Weights,      // of a layer that lived there before: small, of both signs
  Zeros,        // fresh pages
  Bits,         // anything
  Activations,  // around 1, of both signs
  SomeNan       // zeros with a NaN here and there
};

// Fills `values` from `first` on.
void fill_memory(Random& random, std::vector<float>& values, i64 first, MemoryHolds holds);

}  // namespace ropewalk::rope
