// Taint: how marks of values (undefined, poisoned, overflowed) go from the operands of a step to its results, bit by
// bit.
#pragma once
#include "lib/machine/code.h"
#include "lib/machine/context.h"

namespace ropewalk::machine {

// Before a step that is no memory access runs: its results get the marks of what they are made of, lane by lane.
void propagate_marks(Context& context, const Step& step);

// After a computation or a load under a predicate that somebody may not have written: whether it was done is then not
// known either. `active` are the lanes that came to the step.
void mark_predicated(Context& context, const Step& step, const u32 (&active)[max_warps]);

}  // namespace ropewalk::machine
