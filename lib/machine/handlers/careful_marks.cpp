#include "lib/machine/handlers/careful_marks.h"

#include "lib/base/bits.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine::careful {

namespace {

// In the place of a source: the value comes from an access that was reported.
constexpr u32 of_a_finding = 0xffffffffu;

bool is_initialized(const AccessEvent& event, u32 at) {
  const u64 offset = u64(event.offset) + at;
  switch (event.space) {
    case MemorySpace::Shared:
      return all_bits(event.context.block->shared_initialized.data(), offset, offset + 1);
    case MemorySpace::Local:
      return local_initialized(event.context, u32(offset), event.warp, event.lane, 1);
    default:
      return !event.window || !event.window->initialized || all_bits(event.window->initialized, offset, offset + 1);
  }
}

bool is_poisoned(const AccessEvent& event, u32 at) {
  const u64 offset = u64(event.offset) + at;
  if (event.space == MemorySpace::Shared) {
    return any_bit(event.context.block->shared_poisoned.data(), offset, offset + 1);
  }
  return event.window && event.window->poisoned && any_bit(event.window->poisoned, offset, offset + 1);
}

}  // namespace

Mark joined(Block& block, Mark a, Mark b) {
  const u8 taint = a.taint | b.taint;
  if (!(a.taint & b.taint & undefined)) return {taint, a.source | b.source};
  return {taint, block.unwritten.join(a.source, b.source)};
}

Mark mark_read(AccessEvent& event, const Verdict& verdict, u32 at, u32 bytes) {
  if (!verdict.perform || verdict.poison) return {poisoned};
  Mark mark;
  if (!verdict.undefined) return mark;
  Block& block = *event.context.block;
  for (u32 byte = at; byte < at + bytes; ++byte) {
    if (is_initialized(event, byte)) continue;
    if (is_poisoned(event, byte)) {
      mark.taint |= poisoned;
      continue;
    }
    const auto stored =
        event.is_in_block() ? block.undefined_bytes.find(event.place_in_block(byte)) : block.undefined_bytes.end();
    if (stored == block.undefined_bytes.end()) {
      if (!event.source) event.source = block.unwritten.add(event.occurrence(Rule::UninitializedRead));
      mark = joined(block, mark, {undefined, event.source});
    } else if (stored->second == of_a_finding) {
      mark.taint |= poisoned;
    } else {
      mark = joined(block, mark, {undefined, stored->second});
    }
  }
  return mark;
}

void mark_stored(const AccessEvent& event, u32 at, u32 bytes, Mark mark) {
  Block& block = *event.context.block;
  const u64 first = u64(event.offset) + at, last = first + bytes;
  const bool is_clean = (mark.taint & (poisoned | undefined)) == 0;
  if (event.space == MemorySpace::Local) {
    mark_local(event.context, u32(first), event.warp, event.lane, bytes, is_clean);
    for (u32 byte = at; byte < at + bytes && !is_clean; ++byte) {
      block.undefined_bytes[event.place_in_block(byte)] = (mark.taint & poisoned) ? of_a_finding : mark.source;
    }
    return;
  }
  u64 *initialized = nullptr, *poisoned_bits = nullptr;
  bool is_poison = !is_clean;
  if (event.space == MemorySpace::Shared) {
    initialized = block.shared_initialized.data();
    poisoned_bits = block.shared_poisoned.data();
    is_poison = (mark.taint & poisoned) != 0;
    for (u32 byte = at; byte < at + bytes && !is_clean && !is_poison; ++byte) {
      block.undefined_bytes[event.place_in_block(byte)] = mark.source;
    }
  } else if (event.window) {
    // An undefined value that is stored where others can read it has been told.
    if (is_poison && !event.window->poisoned) block.launch->memory.keep_poison(event.window_number);
    initialized = event.window->initialized;
    poisoned_bits = event.window->poisoned;
  }
  if (!initialized) return;
  if (is_clean)
    set_bits(initialized, first, last);
  else
    clear_bits(initialized, first, last);
  if (!poisoned_bits) return;
  if (is_poison)
    set_bits(poisoned_bits, first, last);
  else
    clear_bits(poisoned_bits, first, last);
}

void mark_copied(Block& block, const PendingCopy& copy) {
  for (u32 byte = 0; byte < copy.bytes; ++byte) {
    const u64 at = copy.offset + byte;
    const bool is_undefined = !copy.poisoned && ((copy.undefined >> byte) & 1u);
    if (is_undefined) block.undefined_bytes[at] = copy.source;
    if (is_undefined || copy.poisoned)
      clear_bits(block.shared_initialized.data(), at, at + 1);
    else
      set_bits(block.shared_initialized.data(), at, at + 1);
    if (copy.poisoned)
      set_bits(block.shared_poisoned.data(), at, at + 1);
    else
      clear_bits(block.shared_poisoned.data(), at, at + 1);
  }
}

}  // namespace ropewalk::machine::careful
