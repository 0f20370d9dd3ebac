// Reads of bytes and registers that nobody wrote, where their value matters: it is an address, decides a branch, or is
// stored where others can read it.
#include <fmt/format.h>

#include "lib/base/bits.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine {

namespace {

class UninitializedCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
  void on_unwritten_register(const Context& context, u32 step, u32 warp, u32 lane, const char* what) override;
};

}  // namespace

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
  // Of what a lost address led to nothing more is reported.
  if (event.address_taint & poisoned)
    verdict.poison = true;
  else
    verdict.undefined = true;
}

void UninitializedCheck::on_unwritten_register(const Context& context, u32 step, u32 warp, u32 lane, const char* what) {
  const Block& block = *context.block;
  Occurrence out;
  out.rule = Rule::UninitializedRead;
  out.step = step;
  out.block = block.number;
  out.thread = context.first_thread + warp * lanes_per_warp + lane;
  block.collector->report(
      out, [&](Occurrence& example) { example.detail = fmt::format("a register that nobody wrote {}", what); });
}

template <>
const CheckUnit& unit<Check::Uninitialized>() {
  static const CheckUnit unit{
      .rules = {{Rule::UninitializedRead, "Use of bytes that nobody wrote",
                 "A thread used bytes of memory, or a register, that nothing had written before.",
                 "The value is what was left there by an earlier program, so the result changes from run to run and is "
                 "right in most tests.",
                 "Usually a buffer was allocated and not filled, part of a tile is loaded under a mask and used "
                 "without it, or the wait for an asynchronous copy is missing."}},
      .words =
          [](const Wording& wording) {
            if (!wording.finding.access) return wording.example.detail;
            const std::string& why = wording.example.detail;
            return fmt::format("reads {} at {} that nobody had written{}{}", wording.bytes(), wording.element(),
                               why.empty() ? "" : ": ", why);
          },
      .listen = listens<UninitializedCheck>,
  };
  return unit;
}

}  // namespace ropewalk::machine
