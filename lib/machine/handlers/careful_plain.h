// Loads and stores of the careful tier that are plainly innocent, a warp at a time.
#pragma once
#include "lib/machine/code.h"
#include "lib/machine/context.h"

namespace ropewalk::machine::careful {

// Does for each warp what the fast tier would do, where its addresses and what it stores are marked in no way and the
// fast tier finds the accesses innocent; what is loaded is then marked in no way either. Warps whose accesses all have
// the same defect are judged as one (careful_alike.h). Leaves in `left` the active lanes of the warps that it did
// nothing for. False: there are none.
bool run_plain(Context& context, const Op* op, u32 (&left)[max_warps]);

// Whether nothing is marked in the lanes of a warp of what a step reads and writes (a computation then has no marks to
// propagate).
bool is_unmarked(const Context& context, const Step& step, u32 warp);

}  // namespace ropewalk::machine::careful
