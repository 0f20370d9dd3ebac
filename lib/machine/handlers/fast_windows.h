// What the windows of device memory let an access of the fast tier do: as they are, or because it is settled.
#pragma once
#include "lib/machine/handlers/fast_lanes.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

// The window that holds [first, first + bytes) whole, with the offset of the first byte; nullptr: none, or not one that
// can be accessed without a closer look.
[[gnu::always_inline]] inline const Window* window_for(const Context& context, u64 first, u64 bytes, u64& offset) {
  const Window& window = window_at(context, first);
  offset = first - window.base;
  if (offset >= window.bytes || window.bytes - offset < bytes || !window.data || window.freed) return nullptr;
  return &window;
}

// Nothing is settled.
struct Unsettled {
  static constexpr bool any = false;
  bool outside(u64) const { return false; }
  bool misaligned(u64) const { return false; }
  bool unwritten(u64) const { return false; }
  bool out_of_region(u64) const { return false; }
};

// What an access may do because it has been reported (settled.h), by window. What comes of it is remembered
// (note_settled_store).
struct SomeSettled {
  static constexpr bool any = true;
  const SettledAccess& of;
  Block& block;
  static bool has(u64 windows, u64 number) { return number < 64 && ((windows >> number) & 1u); }
  bool meets(u64 windows, u64 number) const {
    if (!has(windows, number)) return false;
    return meet(block, of);
  }
  bool outside(u64 number) const { return meets(of.outside, number); }
  bool misaligned(u64 number) const { return has(of.misaligned, number); }
  bool unwritten(u64 number) const { return meets(of.unwritten, number); }
  bool out_of_region(u64 number) const { return meets(of.out_of_region, number); }
};

[[gnu::always_inline]] inline u64 number_of(const Context& context, const Window& window) {
  return u64(&window - context.windows);
}

template <class Known>
[[gnu::always_inline]] inline bool allowed(const Context& context, const Window& window, u64 first, u64 bytes,
                                           Known known) {
  return is_allowed(window, first, bytes) || known.out_of_region(number_of(context, window));
}

// Whether an access of this width may start there.
template <class Known>
[[gnu::always_inline]] inline bool aligned(const Context& context, const Window& window, u64 address, u32 width,
                                           Known known) {
  return is_aligned(address, width) || known.misaligned(number_of(context, window));
}

// Whether all bytes hold values and may be touched.
template <class Known>
[[gnu::always_inline]] inline bool readable(Context& context, const Window& window, u64 first, u64 bytes, Known known) {
  if (!allowed(context, window, first, bytes, known)) return false;
  if (!window.initialized || all_bits(window.initialized, first, first + bytes)) return true;
  return (make_lazy(*context.block, window, first, first + bytes) &&
          all_bits(window.initialized, first, first + bytes)) ||
         known.unwritten(number_of(context, window));
}

template <class Known>
[[gnu::always_inline]] inline bool writable(Context& context, const Window& window, u64 first, u64 bytes, Known known) {
  if (window.read_only || (window.poisoned && !Known::any)) return false;
  if (!allowed(context, window, first, bytes, known)) return false;
  if (window.lazy) make_lazy(*context.block, window, first, first + bytes);
  return true;
}

// Whether all accesses of this width from one address on, up to another, are outside of one window, and that is
// settled.
template <class Known>
[[gnu::always_inline]] inline bool settled_outside(const Context& context, u64 first, u64 last, u32 width,
                                                   Known known) {
  if (!Known::any || window_of(first) != window_of(last)) return false;
  const Window& window = window_at(context, first);
  if (!window.data) return known.outside(0);
  const bool is_past = i64(first - window.base) + i64(width) > i64(window.bytes) && first >= window.base;
  return (is_past || last < window.base) && !window.freed && known.outside(number_of(context, window));
}

// The same for lanes that lie anywhere.
template <class Known>
[[gnu::always_inline]] inline bool all_outside(const Context& context, const Addresses& addresses, u32 bits, u32 width,
                                               Known known) {
  if (!Known::any) return false;
  bool all = true;
  for (u32 rest = bits; rest && all; rest &= rest - 1) {
    const u64 address = addresses[u32(__builtin_ctz(rest))];
    all = settled_outside(context, address, address, width, known);
  }
  return all;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
