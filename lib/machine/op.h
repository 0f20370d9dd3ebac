// One decoded operation of a program: the handler that runs it and where its operands lie.
#pragma once
#include "lib/base/types.h"

namespace ropewalk::machine {

struct Context;
struct Op;

// Runs one operation for the active lanes of a context and returns the next one; nullptr stops the context (it reached
// a barrier, its end, or needs the careful tier).
using Handler = const Op* (*)(Context&, const Op*);

// Operands are byte offsets into the register area of a group of warps. A value is an array with one element a lane;
// the step says how many bytes further the next warp's 32 elements lie: 0 for a value that is the same in all lanes,
// which is kept once, repeated 32 times.
struct Op {
  Handler run = nullptr;
  u32 d = 0, a = 0, b = 0, c = 0, e = 0;
  u16 step_d = 0, step_a = 0, step_b = 0, step_c = 0, step_e = 0;
  u32 step = 0;    // index of the Step that this was made of
  u32 target = 0;  // of branches: index of the operation to go to; of others: as the handler says
  u64 immediate = 0;
  Handler inner = nullptr;      // of predicated operations: what runs under the predicate
  const void* extra = nullptr;  // of memory and warp-wide operations: their description
};

}  // namespace ropewalk::machine
