// Branches on what nobody wrote: what they decide is as undefined as what they look at, and no more.
//
// Where one way leads straight to the place where both meet (an if without else, a continue), a lane with an undefined
// condition is sent the other way, for it might have gone there: what it gives values to there is undefined, and the
// branch is a use where it stores, synchronises or leaves there. So `if (tile[i] > least && i < n)` says nothing of the
// tile's tail. Else, where both ways only compute, such a lane has undefined values in all registers that either way
// writes, from the place on where the ways meet. Where a way stores, synchronises or leaves, the branch itself is a
// use.
#pragma once
#include <vector>

#include "lib/machine/block.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// Before a conditional branch: lanes whose condition is undefined are in doubt until the ways meet, or, where that
// cannot be undone, the checks are told.
void begin_doubt(Context& context, const Op* branch);

// Around a step: what lanes do that are in doubt on the way that does something. Which lanes these are after the step
// is not known any more, so it is noted before.
struct Watched {
  u32 lanes[max_warps] = {};
  bool any = false;
  // What was known of values that they store to their own memory, where they are undefined.
  struct Stored {
    u32 value = 0, warp = 0, lane = 0;
    Mark before;
  };
  std::vector<Stored> stored;
};
Watched before_watched(Context& context, const Op* op);
void after_watched(Context& context, const Op* op, const Watched& watched);

// After the lanes of a context met at an operation: the doubts that end there leave their marks.
void end_doubts(Context& context, const Op* join);

}  // namespace ropewalk::machine
