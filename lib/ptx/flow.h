// The control flow of a function: basic blocks, successors, immediate post-dominators.
#pragma once
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

struct Block {
  u32 first = 0;  // instructions [first, last)
  u32 last = 0;
  std::vector<u32> successors;  // fall-through first, then branch targets; the exit is block Flow::exit
};

struct Flow {
  std::vector<Block> blocks;        // in text order; the last one is the empty exit block
  std::vector<u32> block_of;        // by instruction
  std::vector<u32> post_dominator;  // immediate post-dominator by block; the exit's is itself
  std::vector<bool> reachable;      // by block, from the entry
  u32 exit = 0;
};

// In time almost linear in the size of the function. Blocks that cannot reach the exit (endless loops, trap) have the
// exit as post-dominator.
Flow flow_of(const Module& module, const Function& function);

}  // namespace ropewalk::ptx
