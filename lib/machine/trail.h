// What a thread did on its way through the kernel, as far as is asked where it is missing at a barrier (absence.h).
#pragma once
#include <vector>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// What is known of a basic block by one who follows a thread through the kernel.
struct Landmark {
  u32 last_step = 0;      // returns aside
  u32 rank = 0;           // its rank in an order in which only edges that close a loop lead back or stay; from 1
  bool is_noted = false;  // something else than jumps and returns is done here
  bool is_seen = false;   // and others see it: stores, atomics, barriers
  bool works = false;     // and there is more than stores and meetings
  bool meets = false;     // a barrier or a warp-wide instruction stands here
  bool is_round = false;  // the head of a loop in which one stands
  u32 late_in = 0;        // rank of the head of the innermost such loop, where none is ahead in the round; 0: of none
};

// What a thread did last.
struct Trail {
  u32 last = 0;      // the last step of the basic block
  u32 seen = 0;      // the same of what others see, since the last round of a loop with barriers began; 0: nothing
  u32 worked = 0;    // and the same of what is more than stores
  u32 met = 0;       // the same of a barrier or warp-wide instruction, since then; 0: none
  u32 ever_met = 0;  // and the last of all
  u32 rank = 0;      // of the block
  u32 round = 0;     // rank of the head of the loop whose round began after the last barrier; 0: of none
  u32 skipped = 0;   // rounds of such a loop in which it went round all barriers, since the last one

  void enter(const Landmark& here);
};

// By basic block.
std::vector<Landmark> landmarks_of(const Code& code);

}  // namespace ropewalk::machine
