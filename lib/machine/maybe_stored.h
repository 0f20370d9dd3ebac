// Stores and atomics of which nobody knows whether they are made, or to which element of an array, for something
// undefined decides. Bytes of the block's memory that they may have stored to are undefined then, as is a register to
// which only one way gives a value.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "lib/machine/block.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/shadow.h"

namespace ropewalk::machine {

// Whether a step is a store or an atomic that synchronises with nobody.
bool only_stores(const Step& step);

// Where in shared memory such a step of a lane stores, or may store; nothing: it is not known to be there.
std::optional<BlockBytes> shared_target(Context& context, u32 step, u32 warp, u32 lane);

// Bytes that were perhaps stored to, and the source of what decides it.
struct MaybeStored {
  BlockBytes at;
  u32 source = 0;
};
void mark_maybe_stored(Block& block, const MaybeStored& store);

// The same for bytes of a lane's own memory.
void mark_own_maybe_stored(Context& context, const MaybeStored& store, u32 warp, u32 lane);

// Before a store or an atomic at an address of which only bounds are known: the elements that it may change.
// changes(held): whether it changes one that holds these bytes.
using Changes = std::function<bool(const std::byte* held)>;
std::vector<BlockBytes> maybe_changed(const AccessEvent& event, const Changes& changes);
// Whether bounds are known, and there are none.
bool changes_nothing(const AccessEvent& event, const Changes& changes);
// After it was made in the block's memory: these bytes are undefined. `source`: of what makes the address.
void mark_maybe_changed(const AccessEvent& event, const std::vector<BlockBytes>& bytes, u32 source);

}  // namespace ropewalk::machine
