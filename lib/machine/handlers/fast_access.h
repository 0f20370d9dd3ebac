// A memory operand laid out for the fast tier, and what its handlers need of the memory.
#pragma once
#include "lib/machine/access_log.h"
#include "lib/machine/block.h"
#include "lib/machine/code.h"
#include "lib/machine/context.h"
#include "lib/machine/memory.h"

namespace ropewalk::machine {

// What an access may do because it was reported already (settled.h): in which windows, a bit each.
struct SettledAccess {
  u64 outside = 0, misaligned = 0, unwritten = 0, out_of_region = 0;
  bool races = false, outside_shared = false;  // for shared memory
  u8* met = nullptr;                           // set where it does so; null: nobody asks

  bool operator==(const SettledAccess&) const = default;
  void note_met() const {
    if (met) __atomic_store_n(met, u8(1), __ATOMIC_RELAXED);
  }
};

// Offsets and pitches count bytes of the register area, as in Op.
struct FastAccess {
  u32 address = 0;
  u32 address_pitch = 0;
  bool absolute = false;  // no register: `offset` is the address
  bool narrow = false;    // the address register has 32 bits
  bool uniform = false;   // address and result are the same in all lanes
  i64 offset = 0;
  u32 value[8] = {};
  u32 value_pitch[8] = {};
  u8 value_bytes[8] = {};  // 0: the element is not wanted
  u8 element_bytes = 4;
  u8 count = 1;
  bool sign_extend = false;
  bool is_strong = false;
  bool is_noncoherent = false, is_early = false;  // as in MemoryStep
  MemorySpace space = MemorySpace::Global;
  bool races = true;                            // accesses are recorded for the race check
  u32 first_byte = 0, last_byte = 0xffffffffu;  // as in MemoryStep
  SettledAccess settled;
};

// What the block does from now on may come of a finding that is settled.
[[gnu::always_inline]] inline bool meet(Block& block, const SettledAccess& settled) {
  settled.note_met();
  return block.met_settled = true;
}

// What the address's window shows; without data: nothing.
[[gnu::always_inline]] inline const Window& window_at(const Context& context, u64 address) {
  const u64 number = window_of(address);
  return context.windows[number < context.window_numbers ? context.window_indices[number] : 0];
}

// The part that an access may touch of a space that every block or thread has for itself.
struct OwnPart {
  u64 first = 0, bytes = 0;

  // Bytes [from, to) of a space that has `extent` of them.
  OwnPart(u64 extent, u32 from, u32 to) : first(from) {
    const u64 end = to < extent ? to : extent;
    bytes = end > first ? end - first : 0;
  }
  // Whether `wanted` bytes from `offset` on lie inside.
  bool holds(u64 offset, u64 wanted) const { return offset - first < bytes && wanted <= bytes - (offset - first); }
};

// These are not inline: the handlers are compiled for several instruction sets, and what the standard library's
// templates become must not come from there.

// Makes the contents of lazy bytes; false where there was nothing to make.
bool make_lazy(Block& block, const Window& window, u64 first, u64 last);
// Of what was stored nobody knows any more whether it comes from a finding, where the block met one that is settled:
// its value is lost then, and else it is known.
void note_settled_store(Block& block, const Window& window, u64 first, u64 bytes);
// Marks the bytes that differ between what a window holds and what is stored over it.
void mark_differing(const Window& window, u64 first, const std::byte* stored, u64 bytes);

}  // namespace ropewalk::machine
