// Updates in two steps, as `*p += x` is one: a load, and a store to the same address of what was made of it.
#pragma once
#include <compare>
#include <optional>
#include <string_view>

#include "lib/ptx/flow.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// The load that a store puts back, changed by something, by the numbers of the instructions; nothing where there is
// none. Floats that are multiplied are not added to, but turned or scaled in place. Both are in one basic block, so
// that no branch has looked at what was loaded: a thread that waits until a location is its own, and then changes it,
// has another load for that.
std::optional<u32> load_of_update(const Module& module, const Function& function, const Flow& flow, u32 store);

// What an update makes of what is there, whatever that is: an `or`, `and`, `min` or `max` with a constant. Made twice
// it is as made once, so that none is lost where all updates are this one.
struct RepeatableChange {
  std::string_view opcode;  // of the module, with its modifiers
  i64 constant = 0;
  auto operator<=>(const RepeatableChange&) const = default;
};

// Nothing where the update is another one.
std::optional<RepeatableChange> repeatable_change(const Module& module, const Function& function, u32 load, u32 store);

}  // namespace ropewalk::ptx
