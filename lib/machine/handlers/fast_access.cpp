#include "lib/machine/handlers/fast_access.h"

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
  for (u64 i = 0; i < bytes; ++i) {
    if (window.data[first + i] == stored[i] || !all_bits(window.written, first + i, first + i + 1)) continue;
    set_bits(window.differing, first + i, first + i + 1);
  }
}

}  // namespace ropewalk::machine
