#include "lib/machine/maybe_stored.h"

#include <cstring>

#include "lib/base/bits.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/struct_padding.h"
#include "lib/machine/known_ranges.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine {

bool only_stores(const Step& step) {
  if (step.kind != StepKind::Store && step.kind != StepKind::Atomic) return false;
  const MemoryStep& memory = *step.memory;
  return !acquires(memory.strength) && !releases(memory.strength) && !memory.arrives() && !memory.arrives_with_copies &&
         !memory.is_phase_test;
}

namespace {

// Where an access may go; nothing: not everywhere inside of what it may touch.
std::optional<BlockBytes> bytes_of(const AccessEvent& event) {
  const auto range = range_of(event.context, event.address_value, event.warp, event.lane);
  if (!range || !is_inside_everywhere(event)) return {};
  const i64 apart = range->below + range->above, step = std::max<i64>(range->step, 1);
  return BlockBytes{u32(event.offset - range->below), event.bytes, u32(step), u32(apart / step + 1)};
}

}  // namespace

std::optional<BlockBytes> shared_target(Context& context, u32 step, u32 warp, u32 lane) {
  const MemoryStep& memory = *context.program->code->steps[step].memory;
  if (careful::taint_of(context, memory.address, warp, lane) & poisoned) return {};
  const u64 address = careful::address_of(context, memory.address, memory.offset, warp, lane);
  const Op* const op = context.program->ops.data() + context.program->op_of_step[step];
  AccessEvent event = careful::make_event(context, op, warp, lane, AccessKind::Store, address,
                                          u32(memory.element_bytes) * memory.count);
  event.address_value = memory.address;
  careful::resolve(event, memory.space);
  return event.space == MemorySpace::Shared ? bytes_of(event) : std::nullopt;
}

namespace {

// `is_known`: whether somebody wrote a byte; `forget`: that makes it one which nobody wrote; `key`: its byte_in_block.
template <class IsKnown, class Forget, class Key>
void mark_bytes(Block& block, const MaybeStored& store, IsKnown is_known, Forget forget, Key key) {
  const auto mark = [&](u32 at) {
    const auto before = block.undefined_bytes.find(key(at));
    if (is_known(at))
      block.undefined_bytes[key(at)] = {store.source, 0xff};
    else if (before != block.undefined_bytes.end())
      before->second = {block.unwritten.join(before->second.source, store.source), 0xff};
    forget(at);
  };
  const BlockBytes& all = store.at;
  for (u32 n = 0; n < all.count; ++n) {
    for (u32 byte = 0; byte < all.bytes; ++byte) mark(all.first + n * all.step + byte);
  }
}

}  // namespace

void mark_maybe_stored(Block& block, const MaybeStored& store) {
  u64* const initialized = block.shared_initialized.data();
  mark_bytes(
      block, store, [&](u64 at) { return any_bit(initialized, at, at + 1); },
      [&](u64 at) { clear_bits(initialized, at, at + 1); }, [](u64 at) { return at; });
}

void mark_own_maybe_stored(Context& context, const MaybeStored& store, u32 warp, u32 lane) {
  const u64 thread = context.first_thread + warp * lanes_per_warp + lane;
  mark_bytes(
      *context.block, store, [&](u32 at) { return local_initialized(context, at, warp, lane, 1); },
      [&](u32 at) { mark_local(context, at, warp, lane, 1, false); },
      [&](u32 at) { return AccessEvent::own_byte(thread, at); });
}

std::vector<BlockBytes> maybe_changed(const AccessEvent& event, const Changes& changes) {
  const auto all = bytes_of(event);
  std::vector<BlockBytes> out;
  if (!all) return out;  // it is not made
  alignas(16) std::byte held[64];
  for (u32 n = 0; n < all->count; ++n) {
    const u32 at = all->first + n * all->step;
    if (event.space == MemorySpace::Local)
      local_load(event.context, at, event.warp, event.lane, held, event.bytes);
    else
      std::memcpy(held, event.data - event.offset + at, event.bytes);
    if (changes(held) || !careful::is_initialized_at(event, at) ||
        !careful::is_initialized_at(event, at + event.bytes - 1))
      out.push_back({at, event.bytes});
  }
  return out;
}

bool changes_nothing(const AccessEvent& event, const Changes& changes) {
  // What is made where it is touched is not there yet.
  if ((event.window && event.window->lazy) || event.extent > 0xffffffffu) return false;
  return bytes_of(event) && maybe_changed(event, changes).empty();
}

void mark_maybe_changed(const AccessEvent& event, const std::vector<BlockBytes>& bytes, u32 source) {
  for (const BlockBytes& at : bytes) {
    const MaybeStored store{at, event.context.block->unwritten.computed(source)};
    if (event.space == MemorySpace::Local)
      mark_own_maybe_stored(event.context, store, event.warp, event.lane);
    else
      mark_maybe_stored(*event.context.block, store);
  }
}

}  // namespace ropewalk::machine
