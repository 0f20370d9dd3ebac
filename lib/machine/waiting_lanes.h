// Where the lanes of a context stand: those that run, and those that wait on other sides of branches or where these
// meet.
#pragma once
#include <vector>

#include "lib/machine/context.h"

namespace ropewalk::machine {

// Lanes that go on from one point of the code (see LiveRange).
struct WaitingLanes {
  u32 point = 0;
  u32 bits[max_warps] = {};
};

// Those that run come first; `op` is their next operation. A lane is in one entry. What is alive is so for the lanes of
// one entry: others may read what these have done with.
std::vector<WaitingLanes> waiting_lanes(const Context& context, const Op* op);

}  // namespace ropewalk::machine
