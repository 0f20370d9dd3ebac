// The matrix instructions of random programs.
#pragma once
#include <string>

#include "lib/base/random.h"

namespace ropewalk::generate {

// PTX in a scope of its own, for warps that have not branched: takes numbers from some of the registers %r0, %r1, ...
// and changes others.

// An mma.sync that the target (sm_80: 80) has: of integers, or of whole numbers so small that every sum is exact, in
// whatever order a device adds.
std::string random_product(Random& random, u32 registers, u32 target);
// Stores registers to the shared memory `row` of the program and loads them as 8x8 matrices; or a movmatrix.
std::string random_matrix_load(Random& random, u32 registers);

}  // namespace ropewalk::generate
