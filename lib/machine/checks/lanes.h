// Warp-wide operations that read a lane which does not take part in them.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// The source of a value that a lane read from one which does not take part and need not: it is a finding where it
// matters.
u32 source_of_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from);

}  // namespace ropewalk::machine
