// Which values are the same in all lanes of a group.
#pragma once
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

// %tid.x, %tid.y, %tid.z: whether each is the same in all lanes of any group of so many warps.
std::vector<bool> uniform_thread_indices(const Dim3& block, u32 warps);

// By value, for the careful tier: constants and those special registers that are the same in all lanes.
std::vector<bool> constant_values(const Code& code, const Dim3& block, u32 warps);

// By value, for the fast tier: also registers that can be shown to be computed from such values only, where all lanes
// compute them together.
std::vector<bool> uniform_values(const Code& code, const Dim3& block, u32 warps);

}  // namespace ropewalk::machine
