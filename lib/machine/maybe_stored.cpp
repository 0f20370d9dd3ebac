#include "lib/machine/maybe_stored.h"

#include "lib/base/bits.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_memory.h"

namespace ropewalk::machine {

bool only_stores(const Step& step) {
  if (step.kind != StepKind::Store && step.kind != StepKind::Atomic) return false;
  const MemoryStep& memory = *step.memory;
  return !acquires(memory.strength) && !releases(memory.strength) && !memory.arrives() && !memory.arrives_with_copies &&
         !memory.is_phase_test;
}

std::optional<BlockBytes> shared_target(Context& context, u32 step, u32 warp, u32 lane) {
  const MemoryStep& memory = *context.program->code->steps[step].memory;
  if (memory.address != no_value && (careful::taint_of(context, memory.address, warp, lane) & (poisoned | undefined)))
    return {};
  const u64 address = careful::address_of(context, memory.address, memory.offset, warp, lane);
  const Op* const op = context.program->ops.data() + context.program->op_of_step[step];
  AccessEvent event = careful::make_event(context, op, warp, lane, AccessKind::Store, address,
                                          u32(memory.element_bytes) * memory.count);
  careful::resolve(event, memory.space);
  const bool is_inside = event.offset >= 0 && u64(event.offset) + event.bytes <= event.extent;
  if (event.space != MemorySpace::Shared || !is_inside) return {};
  return BlockBytes{u32(event.offset), event.bytes};
}

void mark_maybe_stored(Block& block, const MaybeStored& store) {
  u64* const initialized = block.shared_initialized.data();
  for (u64 at = store.at.first; at < u64(store.at.first) + store.at.bytes; ++at) {
    const bool is_known = any_bit(initialized, at, at + 1);
    const auto before = block.undefined_bytes.find(at);
    if (is_known)
      block.undefined_bytes[at] = {store.source, 0xff};
    else if (before != block.undefined_bytes.end())
      before->second = {block.unwritten.join(before->second.source, store.source), 0xff};
    clear_bits(initialized, at, at + 1);
  }
}

}  // namespace ropewalk::machine
