// Updates in two steps, as `*p += x` is one: a load, and a store to the same address of what was made of it.
#pragma once
#include <optional>
#include <vector>

#include "lib/ptx/flow.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// Whether a load and a store are of the same bytes wherever the two are executed. definitions: by register, the
// instructions that write it.
bool are_of_one_location(const Module& module, const Function& function,
                         const std::vector<std::vector<u32>>& definitions, u32 load, u32 store);

// The load that a store puts back, changed by something, by the numbers of the instructions; nothing where there is
// none. Floats that are multiplied are not added to, but turned or scaled in place. Both are in one basic block, so
// that no branch has looked at what was loaded: a thread that waits until a location is its own, and then changes it,
// has another load for that.
std::optional<u32> load_of_update(const Module& module, const Function& function, const Flow& flow, u32 store);

// Of stores, and of the loads that they put back: the instructions that may lose an update if others make one between.
// None where the updates are all one that may be repeated. Where branches lie between load and store, as in `if ((n =
// *count) < most) *count = n + 1`, that is the store alone: the load may be where the thread learns that it is its
// turn.
std::vector<u32> parts_of_updates(const Module& module, const Function& function, const Flow& flow,
                                  const std::vector<u32>& stores);

}  // namespace ropewalk::ptx
