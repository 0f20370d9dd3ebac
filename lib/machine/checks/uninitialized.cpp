#include "lib/machine/checks/uninitialized.h"

#include <fmt/format.h>

#include "lib/base/bits.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine {

namespace {

// The bitmap of initialised bytes for the memory of this access; nullptr: all are. `first` is the bit of its first byte.
const u64* bitmap_of(const AccessEvent& event, u64& first) {
  first = u64(event.offset);
  switch (event.space) {
    case MemorySpace::Shared: return event.context.block->shared_initialized.data();
    case MemorySpace::Local: return event.context.local_initialized;
    default: return event.window ? event.window->initialized : nullptr;
  }
}

}  // namespace

void UninitializedCheck::on_access(const AccessEvent& event, Verdict& verdict) {
  if (event.kind == AccessKind::Store) return;
  u64 first = 0;
  const u64* initialized = bitmap_of(event, first);
  if (!initialized) return;
  // Elements that nothing reads are left out; local memory is interleaved by words of all lanes.
  const u32 element = event.element_bytes ? event.element_bytes : event.bytes;
  bool all = true;
  for (u32 at = 0; at < event.bytes; at += element) {
    if ((event.unused >> (at / element)) & 1u) continue;
    if (event.space == MemorySpace::Local) {
      all &= local_initialized(event.context, u32(event.offset) + at, event.warp, event.lane, element);
    } else {
      all &= all_bits(initialized, first + at, first + at + element);
    }
  }
  if (all) return;
  verdict.poison = true;
  if (event.address_taint & poisoned) return;
  // Bytes whose value was lost by a finding of their own are not initialised either, but that has been said.
  if (event.space == MemorySpace::Shared &&
      any_bit(event.context.block->shared_poisoned.data(), first, first + event.bytes)) {
    return;
  }
  if (event.window && event.window->poisoned &&
      any_bit(event.window->poisoned, first, first + event.bytes)) {
    return;
  }
  event.context.block->collector->report(event.occurrence(Rule::UninitializedRead));
}

void UninitializedCheck::on_undefined_use(const Context& context, const Step&, u32 step_index, u32 warp, u32 lane,
                                          const char* what) {
  Occurrence out;
  out.rule = Rule::UninitializedRead;
  out.step = step_index;
  out.block = context.block->number;
  out.thread = context.first_thread + warp * lanes_per_warp + lane;
  out.detail = fmt::format("a register that nobody wrote {}", what);
  context.block->collector->report(out);
}

}  // namespace ropewalk::machine
