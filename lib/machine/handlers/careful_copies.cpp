// Asynchronous copies to shared memory (cp.async) in the careful tier: what was issued stays under way until somebody
// waits for it.
#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/nonfinite.h"

namespace ropewalk::machine::careful {

bool is_over_unread(const Context& context, u64 first, u64 bytes, u32 thread) {
  const Block& block = *context.block;
  const std::vector<Step>& steps = context.program->code->steps;
  const auto is_copy = [&](u32 step) { return step < steps.size() && steps[step].kind == StepKind::AsyncCopy; };
  if (!block.order || block.launch->shared_by_barriers)
    return block.shadow.is_unread(first, bytes, block.full_time, thread, is_copy);
  const order::Footprint now{
      .block = block.number, .lanes = 1u << thread % lanes_per_warp, .warp = u16(thread / lanes_per_warp)};
  return block.order->shared.is_unread(first, bytes, now, block.order->threads[thread].knows.get(), is_copy);
}

const Op* copy_async(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  Block& block = *context.block;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    PendingCopy copy;
    std::array<u64, 16> origins{};
    copy.bytes = memory.element_bytes;
    copy.step = op->step;
    u32 wanted = memory.element_bytes;
    for (const u32 operand : {memory.source_size, memory.ignore_source}) {
      note_use(context, op->step, warp, lane, mark_of(context, operand, warp, lane), "decides how much is copied");
    }
    if (memory.source_size != no_value) {
      wanted = std::min(wanted, u32(read_value(context, memory.source_size, warp, lane)));
    }
    if (memory.ignore_source != no_value && read_value(context, memory.ignore_source, warp, lane)) wanted = 0;
    if (wanted > 0) {
      AccessEvent source =
          make_event(context, op, warp, lane, AccessKind::Load,
                     address_of(context, memory.source_address, memory.source_offset, warp, lane), wanted);
      source.is_asynchronous = true;
      resolve(source, MemorySpace::Global);
      source.aligned_to = memory.element_bytes;
      const bool defined = address_is_defined(source, memory.source_address);
      Verdict verdict;
      if (defined)
        verdict = judge(source);
      else
        verdict.perform = false;
      if (verdict.perform) {
        read_bytes(source, copy.data.data());
        log_access(source);
        copy.from = source.address;
        copy.wanted = wanted;
        if (source.window && source.window->tracked && !block.order) copy.record = u32(block.log.size());
      }
      for (u32 byte = 0; byte < wanted; ++byte) {
        const Mark mark = mark_read(source, verdict, byte, 1);
        if (mark.bits && block.unwritten.is_padding(mark.sources[0])) copy.padding |= u16(1u << byte);
        if (mark.bits)
          (mark.sources[0] == UnwrittenReads::a_finding ? copy.poisoned : copy.undefined) |= u16(1u << byte);
      }
      copy.source_of_padding = source.padding;
      copy.source = block.unwritten.join(source.source, source.raced);
      if (!context.shadow->origins.empty()) origins = loaded_origins(source);
    }
    AccessEvent target =
        make_event(context, op, warp, lane, AccessKind::Store,
                   address_of(context, memory.address, memory.offset, warp, lane), memory.element_bytes);
    resolve(target, MemorySpace::Shared);
    target.is_asynchronous = true;
    target.stored = copy.data.data();
    if (!address_is_defined(target, memory.address)) return;
    const bool is_inside = target.offset >= 0 && u64(target.offset) + target.bytes <= block.shared_bytes;
    copy.is_over_unread = is_inside && is_over_unread(context, u64(target.offset), target.bytes, target.thread());
    if (!judge(target).perform) return;
    copy.thread = target.thread();
    copy.group = block.committed[copy.thread];
    copy.offset = u32(target.offset);
    set_bits(block.shared_in_flight.data(), copy.offset, copy.offset + copy.bytes);
    if (!context.shadow->origins.empty()) keep_origins(target, 0, copy.bytes, origins.data());
    block.copies.push_back(copy);
  });
  return op + 1;
}

const Op* commit_async(Context& context, const Op* op) {
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    ++context.block->committed[context.first_thread + warp * lanes_per_warp + lane];
  });
  return op + 1;
}

const PendingCopy* copy_into(const Block& block, u64 first, u64 end) {
  const auto at = std::ranges::find_if(
      block.copies, [&](const PendingCopy& copy) { return copy.offset < end && copy.offset + copy.bytes > first; });
  return at == block.copies.end() ? nullptr : &*at;
}

bool is_read_late(const Block& block, u64 first, u64 last, const PendingCopy*& by) {
  const auto at = std::find_if(block.copies.begin(), block.copies.end(), [&](const PendingCopy& copy) {
    return copy.from < last && first < copy.from + copy.wanted;
  });
  by = at == block.copies.end() ? nullptr : &*at;
  return by;
}

namespace {

// Until now it may have read, and written.
void note_late_accesses(Context& context, const PendingCopy& copy) {
  if (!context.block->order) return;
  const Program& program = *context.program;
  const u32 lane = copy.thread - context.first_thread;
  const auto note = [&](AccessKind kind, MemorySpace space, u64 address, u32 bytes) {
    AccessEvent event = make_event(context, program.ops.data() + program.op_of_step[copy.step], lane / lanes_per_warp,
                                   lane % lanes_per_warp, kind, address, bytes);
    event.is_asynchronous = true;
    if (kind == AccessKind::Store) event.stored = copy.data.data();
    resolve(event, space);
    for (const auto& checker : context.block->launch->checkers) checker->on_late_access(event);
  };
  if (copy.wanted) note(AccessKind::Load, MemorySpace::Global, copy.from, copy.wanted);
  // What an mbarrier waits for is ordered by that.
  if (copy.barrier < 0) note(AccessKind::Store, MemorySpace::Shared, copy.offset, copy.bytes);
}

// The bytes of a copy arrive, and the thread that issued it has written them.
void land(Block& block, const PendingCopy& copy) {
  if (copy.record) {
    AccessRecord& read = block.log[copy.record - 1];
    read.until = u32(block.log.size());
    read.until_time = block.time;
  }
  std::memcpy(block.shared.data() + copy.offset, copy.data.data(), copy.bytes);
  clear_bits(block.shared_in_flight.data(), copy.offset, copy.offset + copy.bytes);
  if (copy.poisoned || copy.undefined) {
    mark_copied(block, copy);
  } else {
    set_bits(block.shared_initialized.data(), copy.offset, copy.offset + copy.bytes);
    clear_bits(block.shared_poisoned.data(), copy.offset, copy.offset + copy.bytes);
  }
  block.note_shared_write(copy.offset, copy.bytes);
  SharedShadow& shadow = block.shadow;
  for (u32 g = copy.offset / shadow.granule; g <= (copy.offset + copy.bytes - 1) / shadow.granule; ++g) {
    shadow.writer[g] = SharedShadow::word_of(block.time, copy.thread);
    shadow.writer_step[g] = u16(copy.step);
  }
}

}  // namespace

// One pass over what is pending, in the order of issue.
void land_copies(Block& block, const std::function<bool(const PendingCopy&)>& lands) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.copies.size(); ++i) {
    const PendingCopy copy = block.copies[i];
    if (lands(copy))
      land(block, copy);
    else
      block.copies[kept++] = copy;
  }
  block.copies.resize(kept);
}

const Op* wait_async(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  Block& block = *context.block;
  const bool everything = std::get<AsyncWaitMode>(step.mode) == AsyncWaitMode::Everything;
  const u32 left = u32(op->immediate);
  const u32 first = context.first_thread, end = first + context.lane_count();
  std::vector<PendingCopy> landed;
  land_copies(block, [&](const PendingCopy& copy) {
    const bool mine = copy.thread >= first && copy.thread < end &&
                      ((context.bits[(copy.thread - first) / lanes_per_warp] >> (copy.thread % lanes_per_warp)) & 1u);
    const u32 committed = block.committed[copy.thread];
    const bool lands = mine && (everything || (copy.group < committed && committed - copy.group > left));
    if (lands) landed.push_back(copy);
    return lands;
  });
  for (const PendingCopy& copy : landed) note_late_accesses(context, copy);
  return op + 1;
}

}  // namespace ropewalk::machine::careful
