// The control flow of a function: basic blocks, successors, where lanes that took different ways meet again.
#pragma once
#include <vector>

#include "lib/ptx/dominators.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

struct Block {
  u32 first = 0;  // instructions [first, last)
  u32 last = 0;
  std::vector<u32> successors;  // fall-through first, then branch targets; the exit is block Flow::exit
};

struct Flow {
  std::vector<Block> blocks;  // in text order; the last one is the empty exit block
  std::vector<u32> block_of;  // by instruction
  // By block: where its ways meet again, as far as they go on; the exit's is itself. That is the immediate
  // post-dominator, or, where that is the exit, the one that remains when ways that leave the kernel are not counted.
  std::vector<u32> post_dominator;
  std::vector<bool> reachable;  // by block, from the entry
  std::vector<bool> leaves;     // by block: does nothing but leave the kernel, or jump to a block that does
  u32 exit = 0;
};

// In time almost linear in the size of the function, times the number of its ends where ways leave early. Blocks that
// cannot reach the exit (endless loops) have the exit as post-dominator.
Flow flow_of(const Module& module, const Function& function);

// By instruction: whether some way leads to it from behind one of `from` that goes through none that is closed.
// closed: by instruction; empty: none is.
std::vector<bool> reached(const Flow& flow, std::vector<u32> from, const std::vector<bool>& closed = {});

// The edges between blocks; and those between blocks that do more than leave.
Edges edges_of(const Flow& flow);
Edges edges_that_stay(const Flow& flow);

}  // namespace ropewalk::ptx
