// The loops of a function.
#pragma once
#include <vector>

#include "lib/ptx/flow.h"

namespace ropewalk::ptx {

// A natural loop: all ways into it lead by its first block.
struct Loop {
  u32 first = 0;          // block
  u32 back = 0;           // one of its blocks that go back to the first
  std::vector<bool> has;  // by block
};

// One for each way back to the first block of a loop.
std::vector<Loop> loops_of(const Flow& flow);

// The branch that parts the threads that come to an instruction from those that do not, in its innermost loop; the
// instruction itself, where all come to it that go round there.
u32 branch_around(const Flow& flow, const std::vector<Loop>& loops, u32 instruction);

}  // namespace ropewalk::ptx
