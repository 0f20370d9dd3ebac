#include "lib/machine/handlers/fast_access.h"

#include <algorithm>
#include <bit>

#include "lib/base/bits.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

bool make_lazy(Block& block, const Window& window, u64 first, u64 last) {
  return window.lazy && block.launch->memory.materialize(window, first, last);
}

void note_settled_store(Block& block, const Window& window, u64 first, u64 bytes) {
  if (block.met_settled) {
    Memory& memory = block.launch->memory;
    if (!window.poisoned) memory.keep_poison(u32(&window - memory.windows().data()));
    set_bits(window.poisoned, first, first + bytes);
    clear_bits(window.initialized, first, first + bytes);
  } else if (window.poisoned) {
    clear_bits(window.poisoned, first, first + bytes);
    set_bits(window.initialized, first, first + bytes);
  }
}

void mark_differing(const Window& window, u64 first, const std::byte* stored, u64 bytes) {
  const u64 end = first + bytes;
  for (u64 at = first; at < end;) {
    const u64 word = at / 64, start = word * 64, stop = std::min(end, start + 64);
    u64 found = 0;
    // What is known to differ is not looked at again.
    for (u64 rest = bit_range(u32(at - start), u32(stop - start)) & shared_word(window.written, word) &
                    ~shared_word(window.differing, word);
         rest; rest &= rest - 1) {
      const u64 byte = start + u64(std::countr_zero(rest));
      if (window.data[byte] != stored[byte - first]) found |= rest & -rest;
    }
    if (found) __atomic_fetch_or(&window.differing[word], found, __ATOMIC_RELAXED);
    at = stop;
  }
}

}  // namespace ropewalk::machine
