// Accesses of a warp that all have the same defect, judged together: a finding that is seen a million times costs
// little.
#pragma once
#include "lib/machine/code.h"
#include "lib/machine/context.h"

namespace ropewalk::machine::careful {

// Judges and does a load or store of global memory for these lanes of a warp, where all are outside of one window, or
// are loads that all are misaligned or all of bytes that nobody wrote, and there is nothing else to look at. The
// findings are those of a judgement lane by lane. False: nothing was done.
bool run_alike(Context& context, const Op* op, u32 warp, u32 lanes);

}  // namespace ropewalk::machine::careful
