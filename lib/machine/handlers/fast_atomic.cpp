// Atomics and asynchronous copies, in the fast tier: lane by lane, all lanes looked at before anything is done.
#include <cstring>

#include "lib/base/bits.h"
#include "lib/machine/atomics.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/fast_access.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

namespace {

const Op* stop_careful(Context& context, const Op* op) {
  context.stop = Stop::Careful;
  context.op = op;
  return nullptr;
}

// Whether nobody but this thread (or, for atomics, only other atomics) touched the granules since the last barrier.
bool undisturbed(const Block& block, u64 offset, u32 bytes, u32 thread, bool atomic) {
  const SharedShadow& shadow = block.shadow;
  const u32 unordered = block.full_time << SharedShadow::time_shift;
  for (u64 g = offset / shadow.granule; g <= (offset + bytes - 1) / shadow.granule; ++g) {
    // The word has room for one writer: what a plain store did before an atomic, be it this thread's, would be
    // forgotten.
    if (SharedShadow::is_open(shadow.writer[g], unordered, atomic ? 0 : thread + 1, atomic)) return false;
    if (SharedShadow::is_open(shadow.reader[g], unordered, thread + 1)) return false;
  }
  return true;
}

void mark_written(Block& block, u64 offset, u32 bytes, u32 thread, u32 step, bool atomic) {
  block.note_shared_write(offset, bytes);
  SharedShadow& shadow = block.shadow;
  for (u64 g = offset / shadow.granule; g <= (offset + bytes - 1) / shadow.granule; ++g) {
    u32& writer = shadow.writer[g];
    writer =
        atomic ? SharedShadow::after_atomic(writer, block.full_time << SharedShadow::time_shift,
                                            block.time << SharedShadow::time_shift, thread + 1, thread / lanes_per_warp)
               : SharedShadow::word_of(block.time, thread);
    shadow.writer_step[g] = u16(step);
  }
}

bool has(u64 windows, u64 number) { return number < 64 && ((windows >> number) & 1u); }

// Whether an atomic operation outside of all windows is left out.
bool is_settled_outside(const Context& context, u64 address, u32 bytes, const SettledAccess& settled) {
  const Window& window = window_at(context, address);
  if (!window.data) return has(settled.outside, 0);
  const bool is_outside = address < window.base || address - window.base + bytes > window.bytes;
  return is_outside && !window.freed && has(settled.outside, u64(&window - context.windows));
}

bool is_unwritten(const Window& window, u64 offset, u32 bytes) {
  return window.initialized && !all_bits(window.initialized, offset, offset + bytes);
}

// settled: what is left out is innocent; takes_lost: what was lost by findings is, too.
const Window* window_for(const Context& context, u64 address, u32 bytes, u64& offset,
                         const SettledAccess* settled = nullptr, bool takes_lost = false) {
  const Window& window = window_at(context, address);
  offset = address - window.base;
  if (!window.data || window.freed || offset >= window.bytes || window.bytes - offset < bytes) return nullptr;
  if (!is_allowed(window, offset, bytes)) return nullptr;
  if (!is_unwritten(window, offset, bytes) || make_lazy(*context.block, window, offset, offset + bytes)) return &window;
  const bool is_lost = takes_lost && window.poisoned && all_bits(window.poisoned, offset, offset + bytes);
  return is_lost || (settled && has(settled->unwritten, u64(&window - context.windows))) ? &window : nullptr;
}

template <class Body>
bool for_lanes(const Context& context, Body body) {
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      if (!body(warp, u32(__builtin_ctz(bits)))) return false;
    }
  }
  return true;
}

}  // namespace

const Op* fast_atomic(Context& context, const Op* op) {
  const Step& step = context.program->code->steps[op->step];
  const MemoryStep& memory = *step.memory;
  const auto* const settled = static_cast<const SettledAccess*>(op->extra);  // nullptr: nothing is, anywhere
  Block& block = *context.block;
  const u32 bytes = memory.element_bytes, alignment = std::max<u32>(bytes, memory.vector_bytes);
  // What is lost stays so, and goes nowhere else.
  const bool takes_lost = settled && !context.program->code->looks_at(step);
  const OwnPart part(block.shared_bytes, memory.first_byte, memory.last_byte);
  const auto is_in_shared = [&](u64 address, u64& offset) {
    if (memory.space == MemorySpace::Shared) return offset = address, true;
    offset = address - generic_base(shared_window);
    return memory.space == MemorySpace::Generic && window_of(address) == shared_window;
  };
  const bool fine = for_lanes(context, [&](u32 warp, u32 lane) {
    const u64 address = careful::address_of(context, memory.address, memory.offset, warp, lane);
    u64 offset = 0;
    if (address % alignment != 0) return false;
    const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
    if (is_in_shared(address, offset)) {
      return part.holds(offset, bytes) && block.copies.empty() &&
             all_bits(block.shared_initialized.data(), offset, offset + bytes) &&
             undisturbed(block, offset, bytes, thread, true);
    }
    const Window* window = window_for(context, address, bytes, offset, settled, takes_lost);
    if (!window) return settled && is_settled_outside(context, address, bytes, *settled);
    return !window->read_only && (settled || !window->poisoned);
  });
  if (!fine) return stop_careful(context, op);
  for_lanes(context, [&](u32 warp, u32 lane) {
    const u64 address = careful::address_of(context, memory.address, memory.offset, warp, lane);
    const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
    u64 offset = 0;
    std::byte* at = nullptr;
    const Window* window = nullptr;
    if (is_in_shared(address, offset)) {
      at = block.shared.data() + offset;
      mark_written(block, offset, bytes, thread, op->step, true);
    } else {
      window = window_for(context, address, bytes, offset, settled, takes_lost);
      if (!window) return meet(block, *settled);
      if (settled && is_unwritten(*window, offset, bytes)) meet(block, *settled);
      at = window->data + offset;
      mark_stored(*window, offset, offset + bytes);
      if (window->tracked) {
        AccessRecord record;
        record.window = u32(window - context.windows);
        record.step = op->step;
        record.first = offset;
        record.bytes = bytes;
        record.width = u16(bytes);
        record.thread = u16(thread);
        record.write = record.atomic = true;
        record.time = block.time;
        block.log.append() = record;
      }
      note_touched(*window, offset, bytes, true, memory.scope != Scope::Block, memory.is_early);
      if (window->counted) block.atomic_bytes[window - context.windows] += bytes;
      if (window->written) set_bits(window->written, offset, offset + bytes);
    }
    u64 before = 0;
    std::memcpy(&before, at, bytes);
    const u64 second =
        memory.second_operand == no_value ? 0 : careful::read_value(context, memory.second_operand, warp, lane);
    const u64 after = atomic_result(memory.operation, memory.type, before,
                                    careful::read_value(context, memory.values[0], warp, lane), second);
    std::memcpy(at, &after, bytes);
    if (settled && window) note_settled_store(block, *window, offset, bytes);
    if (step.d != no_value) {
      const Program& program = *context.program;
      const u32 size = program.code->values[step.d].size;
      std::memcpy(context.registers + program.offset[step.d] + warp * program.pitch[step.d] + lane * size, &before,
                  size);
    }
    return true;
  });
  return op + 1;
}

const Op* fast_copy_async(Context& context, const Op* op) {
  const Step& step = context.program->code->steps[op->step];
  const MemoryStep& memory = *step.memory;
  Block& block = *context.block;
  const u32 bytes = memory.element_bytes;
  const OwnPart part(block.shared_bytes, memory.first_byte, memory.last_byte);
  const auto wanted_of = [&](u32 warp, u32 lane) {
    u32 wanted = bytes;
    if (memory.source_size != no_value)
      wanted = std::min(wanted, u32(careful::read_value(context, memory.source_size, warp, lane)));
    if (memory.ignore_source != no_value && careful::read_value(context, memory.ignore_source, warp, lane)) wanted = 0;
    return wanted;
  };
  const bool fine = for_lanes(context, [&](u32 warp, u32 lane) {
    const u64 target = careful::address_of(context, memory.address, memory.offset, warp, lane);
    const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
    if (target % bytes != 0 || !part.holds(target, bytes) || !undisturbed(block, target, bytes, thread, false) ||
        any_bit(block.shared_in_flight.data(), target, target + bytes)) {
      return false;
    }
    const u32 wanted = wanted_of(warp, lane);
    if (wanted == 0) return true;
    const u64 source = careful::address_of(context, memory.source_address, memory.source_offset, warp, lane);
    u64 offset = 0;
    const Window* window = source % bytes == 0 ? window_for(context, source, wanted, offset) : nullptr;
    if (window) note_touched(*window, offset, wanted, false, false, memory.is_early);
    return window && !window->tracked && !window->owned;
  });
  if (!fine) return stop_careful(context, op);
  for_lanes(context, [&](u32 warp, u32 lane) {
    PendingCopy copy;
    copy.bytes = u8(bytes);
    copy.step = op->step;
    copy.thread = context.first_thread + warp * lanes_per_warp + lane;
    copy.group = block.committed[copy.thread];
    copy.offset = u32(careful::address_of(context, memory.address, memory.offset, warp, lane));
    if (const u32 wanted = wanted_of(warp, lane)) {
      u64 offset = 0;
      const Window* window =
          window_for(context, careful::address_of(context, memory.source_address, memory.source_offset, warp, lane),
                     wanted, offset);
      std::memcpy(copy.data.data(), window->data + offset, wanted);
    }
    copy.is_over_unread = careful::is_over_unread(context, copy.offset, bytes, copy.thread);
    mark_written(block, copy.offset, bytes, copy.thread, op->step, false);
    set_bits(block.shared_in_flight.data(), copy.offset, copy.offset + bytes);
    block.copies.push_back(copy);
    return true;
  });
  return op + 1;
}

}  // namespace ropewalk::machine
