// Launches of the stand-in driver, run on the machine.
#pragma once
#include "lib/launch/launch.h"
#include "tests/lib/gpu/stand_in_state.h"

namespace ropewalk::stand_in {

// Runs a kernel over the allocations as they are. The error that the driver would leave behind: of a kernel that leaves
// its allocations or those that its device may touch, is misaligned, asserts, traps or has an instruction that the
// machine does not know. Results come back only without one; an endless kernel does not return.
gpu::Result run_launch(const Function& function, Dim3 grid, Dim3 block, u64 shared, void** parameters);

}  // namespace ropewalk::stand_in
