#include "lib/machine/handlers/careful_marks.h"

#include <algorithm>

#include "lib/base/bits.h"
#include "lib/finding/phrases.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/struct_padding.h"
#include "lib/machine/judge.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"
#include "lib/machine/undefined_stores.h"

namespace ropewalk::machine::careful {

bool is_poisoned(const AccessEvent& event, u32 at) {
  const u64 offset = u64(event.offset) + at;
  if (event.space == MemorySpace::Shared) {
    return any_bit(event.context.block->shared_poisoned.data(), offset, offset + 1);
  }
  return event.window && event.window->poisoned && any_bit(event.window->poisoned, offset, offset + 1);
}

bool is_initialized(const AccessEvent& event, u32 at) { return is_initialized_at(event, u64(event.offset) + at); }

void unset_initialized(const AccessEvent& event, u32 at) {
  const u64 offset = u64(event.offset) + at;
  if (event.space == MemorySpace::Local)
    mark_local(event.context, u32(offset), event.warp, event.lane, 1, false);
  else
    clear_bits(event.context.block->shared_initialized.data(), offset, offset + 1);
}

Mark whole_mark(u32 source) {
  Mark mark;
  if (source == UnwrittenReads::none) return mark;
  mark.bits = ~u64(0);
  mark.sources.fill(source);
  return mark;
}

u32 source_of(Block& block, const Mark& mark) {
  u32 all = UnwrittenReads::none;
  if (mark.bits == 0) return all;
  for (const u32 source : mark.sources) all = block.unwritten.join(all, source);
  return all;
}

u32 computed_source(Block& block, const Mark& mark) { return block.unwritten.computed(source_of(block, mark)); }

Mark joined(Block& block, const Mark& a, const Mark& b) {
  if (a.bits == 0) return b;
  if (b.bits == 0) return a;
  Mark mark;
  mark.bits = a.bits | b.bits;
  for (u32 byte = 0; byte < 8; ++byte) mark.sources[byte] = block.unwritten.join(a.sources[byte], b.sources[byte]);
  return mark;
}

u8 drop_padding(const Block& block, Mark& mark) {
  u8 dropped = 0;
  for (u32 byte = 0; byte < 8 && mark.bits; ++byte) {
    if (!block.unwritten.is_padding(mark.sources[byte])) continue;
    mark.bits &= ~(u64(0xff) << (8 * byte));
    mark.sources[byte] = UnwrittenReads::none;
    dropped |= u8(1u << byte);
  }
  return dropped;
}

Mark part_of(const Mark& mark, u32 first, u32 bytes) {
  Mark part;
  part.bits = mark.bits >> (8 * first) & bits_mask(8 * bytes);
  for (u32 byte = 0; byte < bytes; ++byte) part.sources[byte] = mark.sources[first + byte];
  return part;
}

Mark placed(const Mark& mark, u32 at) {
  Mark whole;
  whole.bits = mark.bits << (8 * at);
  for (u32 byte = at; byte < 8; ++byte) whole.sources[byte] = mark.sources[byte - at];
  return whole;
}

Mark extended_mark(const Mark& mark, u32 bytes, bool is_signed) {
  Mark wide = mark;
  if (bytes >= 8 || !is_signed || !((mark.bits >> (8 * bytes - 1)) & 1)) return wide;
  wide.bits |= ~bits_mask(8 * bytes);
  for (u32 byte = bytes; byte < 8; ++byte) wide.sources[byte] = mark.sources[bytes - 1];
  return wide;
}

namespace {

// The mark that a race gives some bytes of a load or a store (judge.h).
Mark raced_mark(AccessEvent& event, u32 at, u32 bytes) {
  Mark mark;
  const RaceJudge* const judge = event.context.block->launch->judge;
  if (!judge) return mark;
  u32 source = UnwrittenReads::none;
  const u64 raced = judge->raced_bytes(event, source) >> at;
  for (u32 byte = 0; byte < bytes; ++byte) {
    if (!((raced >> byte) & 1)) continue;
    mark.bits |= u64(0xff) << (8 * byte);
    mark.sources[byte] = source;
  }
  return mark;
}

// The bits of a byte that is not initialized which nobody wrote, as an earlier launch left it.
u8 bits_before_launch(const Window& window, u64 byte) {
  if (!window.undefined_bits) return 0xff;
  const auto known = window.undefined_bits->find(byte);
  return known == window.undefined_bits->end() ? 0xff : known->second;
}

// The read to report where it matters: also of what a cp.async will write that nobody has waited for.
Occurrence unwritten_read(const AccessEvent& event) {
  Occurrence out = event.occurrence(Rule::UninitializedRead);
  const Block& block = *event.context.block;
  const u64 first = u64(event.offset);
  const PendingCopy* const copy =
      event.space == MemorySpace::Shared ? copy_into(block, first, first + event.bytes) : nullptr;
  if (!copy) return out;
  out.detail = copy_under_way;
  out.other_step = copy->step;
  out.other_thread = copy->thread;
  out.other_block = block.number;
  return out;
}

}  // namespace

Mark mark_read(AccessEvent& event, const Verdict& verdict, u32 at, u32 bytes) {
  if (!verdict.perform || verdict.poison) return whole_mark(UnwrittenReads::a_finding);
  Block& block = *event.context.block;
  Mark mark = raced_mark(event, at, bytes);
  if (!verdict.undefined) return mark;
  for (u32 byte = 0; byte < bytes; ++byte) {
    if (event.is_padding(at + byte) || is_initialized(event, at + byte)) continue;
    u8 bits = 0xff;
    // Of what was read in a race, too, both are reported.
    u32& source = mark.sources[byte];
    const auto add = [&](u32 more) {
      if (source == UnwrittenReads::none)
        source = more;
      else if (more != UnwrittenReads::a_finding)
        source = block.unwritten.join(source, more);
    };
    const auto stored =
        event.is_followed() ? block.undefined_bytes.find(event.byte_in_block(at + byte)) : block.undefined_bytes.end();
    if (is_poisoned(event, at + byte)) {
      add(UnwrittenReads::a_finding);
    } else if (stored != block.undefined_bytes.end()) {
      add(stored->second.source);
      bits = stored->second.bits;
    } else {
      if (event.window) bits = bits_before_launch(*event.window, u64(event.offset) + at + byte);
      const bool is_padding = is_struct_padding(event, at + byte);
      u32& read = is_padding ? event.padding : event.source;
      if (!read) {
        const Occurrence occurrence = unwritten_read(event);
        read = is_padding ? block.unwritten.add_padding(occurrence) : block.unwritten.add(occurrence);
      }
      add(read);
    }
    mark.bits |= u64(bits) << (8 * byte);
  }
  return mark;
}

namespace {

// One byte that was stored, with what is known of it.
void mark_byte(const AccessEvent& event, u32 at, u8 bits, u32 source) {
  Block& block = *event.context.block;
  const u64 first = u64(event.offset) + at;
  const bool is_poison = bits != 0 && block.unwritten.is_reported(source);
  if (event.space == MemorySpace::Local) {
    mark_local(event.context, u32(first), event.warp, event.lane, 1, bits == 0);
    if (bits) block.undefined_bytes[event.byte_in_block(at)] = {source, bits};
    return;
  }
  u64 *initialized = nullptr, *poisoned_bits = nullptr;
  bool loses_value = is_poison;
  if (event.space == MemorySpace::Shared) {
    initialized = block.shared_initialized.data();
    poisoned_bits = block.shared_poisoned.data();
    if (bits && !is_poison) block.undefined_bytes[event.byte_in_block(at)] = {source, bits};
  } else if (event.window) {
    // An undefined value that is stored where others can read it has been reported; another block that reads scratch
    // memory does not know the source, and tells of its own read. So does every block of what is remembered by its
    // bytes.
    const bool is_remembered = event.is_deferred() && bits == 0xff && !block.unwritten.is_padding(source);
    if (!bits || !event.is_followed() || is_poison)
      loses_value = bits != 0;
    else if (!is_remembered)
      block.undefined_bytes[event.byte_in_block(at)] = {source, bits};
    else if (!block.undefined_bytes.empty())
      block.undefined_bytes.erase(event.byte_in_block(at));
    if (bits && event.is_deferred()) block.undefined_stores->keep_bits(event.window_number, first, bits);
    if (loses_value && !event.window->poisoned) block.launch->memory.keep_poison(event.window_number);
    initialized = event.window->initialized;
    poisoned_bits = event.window->poisoned;
  }
  if (!initialized) return;
  if (bits == 0)
    set_bits(initialized, first, first + 1);
  else
    clear_bits(initialized, first, first + 1);
  if (!poisoned_bits) return;
  if (loses_value)
    set_bits(poisoned_bits, first, first + 1);
  else
    clear_bits(poisoned_bits, first, first + 1);
}

// Bytes that were stored and of which all is known.
void mark_clean(const AccessEvent& event, u32 at, u32 bytes) {
  Block& block = *event.context.block;
  const u64 first = u64(event.offset) + at, last = first + bytes;
  if (event.space == MemorySpace::Local)
    return mark_local(event.context, u32(first), event.warp, event.lane, bytes, true);
  const bool is_shared = event.space == MemorySpace::Shared;
  if (!is_shared && !event.window) return;
  u64* initialized = is_shared ? block.shared_initialized.data() : event.window->initialized;
  u64* poisoned_bits = is_shared ? block.shared_poisoned.data() : event.window->poisoned;
  if (!initialized) return;
  set_bits(initialized, first, last);
  if (poisoned_bits) clear_bits(poisoned_bits, first, last);
}

}  // namespace

void lose_stored(const AccessEvent& event) {
  if (!event.window || !event.window->data || event.window->freed || event.window->read_only) return;
  const i64 first = std::max<i64>(0, -event.offset);
  const i64 last = std::min<i64>(event.bytes, i64(event.window->bytes) - event.offset);
  for (i64 at = first; at < last; ++at) mark_byte(event, u32(at), 0xff, UnwrittenReads::a_finding);
}

void mark_stored(AccessEvent& event, u32 at, u32 bytes, const Mark& of_value) {
  const Mark mark = joined(*event.context.block, of_value, raced_mark(event, at, bytes));
  if ((mark.bits & bits_mask(8 * bytes)) == 0) return mark_clean(event, at, bytes);
  for (u32 byte = 0; byte < bytes; ++byte) mark_byte(event, at + byte, u8(mark.bits >> (8 * byte)), mark.sources[byte]);
}

void leave_unwritten(const AccessEvent& event, u32 at, u8 which) {
  const Window* const window = event.window;
  if (!window || !window->initialized) return;
  for (u32 byte = 0; byte < 8; ++byte) {
    const u64 first = u64(event.offset) + at + byte;
    if ((which >> byte) & 1) clear_bits(window->initialized, first, first + 1);
  }
  // The structs are copied in other words than those that they are made of.
  if (!window->widest_stored) return;
  u8 widest = __atomic_load_n(window->widest_stored, __ATOMIC_RELAXED);
  for (const Window& other : event.context.block->launch->memory.windows()) {
    if (other.widest_stored) widest = std::max(widest, __atomic_load_n(other.widest_stored, __ATOMIC_RELAXED));
  }
  __atomic_store_n(window->widest_stored, widest, __ATOMIC_RELAXED);
}

void mark_copied(Block& block, const PendingCopy& copy) {
  for (u32 byte = 0; byte < copy.bytes; ++byte) {
    const u64 at = copy.offset + byte;
    const bool is_poisoned = (copy.poisoned >> byte) & 1u, is_undefined = (copy.undefined >> byte) & 1u;
    const bool is_padding = (copy.padding >> byte) & 1u;
    if (is_undefined && !is_poisoned)
      block.undefined_bytes[at] = {is_padding ? copy.source_of_padding : copy.source, 0xff};
    if (is_undefined || is_poisoned)
      clear_bits(block.shared_initialized.data(), at, at + 1);
    else
      set_bits(block.shared_initialized.data(), at, at + 1);
    if (is_poisoned)
      set_bits(block.shared_poisoned.data(), at, at + 1);
    else
      clear_bits(block.shared_poisoned.data(), at, at + 1);
  }
}

}  // namespace ropewalk::machine::careful
