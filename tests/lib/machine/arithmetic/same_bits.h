// Every kind of instruction on many operands in loops of 32 lanes, as one number: compiled once for each instruction
// set, whose numbers must be equal.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine::arithmetic {

// The hash of all results, one function for each instruction set, one entry for each instruction.
constexpr u32 operation_count = 96;
struct Hashes {
  u64 values[operation_count];
  const char* names[operation_count];
  u32 count;
};
Hashes hashes_baseline();
Hashes hashes_v3();
Hashes hashes_v4();

}  // namespace ropewalk::machine::arithmetic
