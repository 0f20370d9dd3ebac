// Branches on what nobody wrote: what they decide is as undefined as what they look at, and no more.
//
// Where one way does nothing, or only moves values (an if without else, a continue), a lane with an undefined
// condition is sent the other way, for it might have gone there: values that this changes are undefined from the point
// on where the ways meet, and so are the bytes of shared memory that the lane stores to; the branch is a use where it
// stores elsewhere, synchronises or leaves. So what `if (tile[i] >
// least && i < n)` looks at past n is nothing. Else, where both ways only compute, the lane has undefined values in all
// registers that either way writes, and in the bytes of shared memory that either way stores to, or, where it is
// not known before the branch which these are, that its own way stores to. Where a way stores to memory that others
// see, synchronises or leaves, the branch itself is a use.
#pragma once
#include <vector>

#include "lib/machine/block.h"
#include "lib/machine/maybe_stored.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// Before a conditional branch: lanes whose condition is undefined are in doubt until the ways meet, or, where that
// cannot be undone, the checks report.
void begin_doubt(Context& context, const Op* branch);

// Around a step: what lanes do that were sent on a way. Stores to their own memory are as if to a register: what they
// store is undefined. A store to shared memory is made by those alone that go that way by themselves.
struct StoredInDoubt {
  u32 value = 0, warp = 0, lane = 0;
  Mark before;
};
struct StepInDoubt {
  std::vector<StoredInDoubt> own;
  std::vector<MaybeStored> shared;
  bool is_left_out = false;  // by some lanes: `made` are the others
  u32 made[max_warps] = {};
};
StepInDoubt before_step_in_doubt(Context& context, const Op* op);
void after_step_in_doubt(Context& context, const Op* op, const StepInDoubt& done);

// Whether a lane was sent on a way. An access there that cannot be made is no finding of its own, for the lane may not
// come so far; that it may makes the branch a use.
bool is_in_doubt(const Context& context, u32 warp, u32 lane);
void report_doubts(Context& context, u32 warp, u32 lane);

// After the lanes of a context met at an operation: the doubts that end there leave their marks.
void end_doubts(Context& context, const Op* join);

}  // namespace ropewalk::machine
