// Branches on what nobody wrote: what they decide is as undefined as what they look at, and no more.
//
// Where both ways of a branch only compute, a lane that goes one of them on an undefined condition has undefined values
// in all registers that either way writes, from the place on where the ways meet. Where a way stores, synchronises or
// leaves, the branch itself is a use.
#pragma once
#include "lib/machine/block.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// Before a conditional branch: lanes whose condition is undefined are in doubt until the ways meet, or, where that
// cannot be undone, the checks are told.
void begin_doubt(Context& context, const Op* branch);

// After the lanes of a context met at an operation: the doubts that end there leave their marks.
void end_doubts(Context& context, const Op* join);

}  // namespace ropewalk::machine
