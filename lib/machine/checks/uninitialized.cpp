#include "lib/machine/checks/uninitialized.h"

#include <fmt/format.h>

#include "lib/base/bits.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine {

namespace {

// The bitmap of initialised bytes for the memory of this access; nullptr: all are. `first` is the bit of its first
// byte.
const u64* bitmap_of(const AccessEvent& event, u64& first) {
  first = u64(event.offset);
  switch (event.space) {
    case MemorySpace::Shared:
      return event.context.block->shared_initialized.data();
    case MemorySpace::Local:
      return event.context.local_initialized;
    default:
      return event.window ? static_cast<u64*>(event.window->initialized) : nullptr;
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
    if (event.is_padded(at, element)) {
      for (u32 byte = at; byte < at + element; ++byte) {
        if (event.is_padding(byte)) continue;
        all &= event.space == MemorySpace::Local
                   ? local_initialized(event.context, u32(event.offset) + byte, event.warp, event.lane, 1)
                   : all_bits(initialized, first + byte, first + byte + 1);
      }
      continue;
    }
    if (event.space == MemorySpace::Local) {
      all &= local_initialized(event.context, u32(event.offset) + at, event.warp, event.lane, element);
    } else {
      all &= all_bits(initialized, first + at, first + at + element);
    }
  }
  if (all) return;
  // Of what a lost address led to nothing more is said.
  if (event.address_taint & poisoned)
    verdict.poison = true;
  else
    verdict.undefined = true;
}

void UninitializedCheck::on_undefined_use(const Context& context, u32 step, u32 warp, u32 lane, u32 source,
                                          const char* what) {
  Block& block = *context.block;
  if (!block.unwritten.tell(source, *block.collector)) return;
  Occurrence out;
  out.rule = Rule::UninitializedRead;
  out.step = step;
  out.block = block.number;
  out.thread = context.first_thread + warp * lanes_per_warp + lane;
  block.collector->report(
      out, [&](Occurrence& example) { example.detail = fmt::format("a register that nobody wrote {}", what); });
}

}  // namespace ropewalk::machine
