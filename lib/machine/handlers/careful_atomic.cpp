// Atomic operations of the careful tier, lane by lane.
#include <cstring>

#include "lib/machine/atomics.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/careful_order.h"
#include "lib/machine/judge.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/maybe_stored.h"

namespace ropewalk::machine::careful {

namespace {

// `old = *at; do { assumed = old; old = atomicCAS(at, assumed, f(assumed)); } while (old != assumed);`: whatever a race
// gave the first read, the swap is made where memory holds that value, and nowhere else. From the swap on the value is
// what it was compared with.
bool confirms_what_was_read(const AccessEvent& event, const MemoryStep& memory) {
  Context& context = event.context;
  const u32 warp = event.warp, lane = event.lane;
  if (!context.block->launch->judge || memory.operation != AtomicOperation::CompareAndSwap) return false;
  const Mark compared = mark_of(context, memory.values[0], warp, lane);
  const Mark stored = mark_of(context, memory.second_operand, warp, lane);
  if (compared.bits == 0) return false;
  UnwrittenReads& unwritten = context.block->unwritten;
  const u32 source = computed_source(*context.block, compared);
  context.block->launch->judge->note_swap(event, unwritten.read_of(source));
  if (stored.bits && unwritten.join(source, computed_source(*context.block, stored)) != source) return false;
  set_mark(context, memory.values[0], warp, lane, {});
  unwritten.confirm(source);  // its copies too
  return true;
}

}  // namespace

const Op* atomic(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  Sight sight;
  bool changed = false;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event =
        make_event(context, op, warp, lane, AccessKind::Atomic,
                   address_of(context, memory.address, memory.offset, warp, lane), memory.element_bytes);
    event.aligned_to = memory.vector_bytes;
    resolve(event, memory.space);
    const u64 operand = read_value(context, memory.values[0], warp, lane);
    const u64 second = memory.second_operand == no_value ? 0 : read_value(context, memory.second_operand, warp, lane);
    const bool is_known = mark_of(context, memory.values[0], warp, lane).bits == 0 &&
                          mark_of(context, memory.second_operand, warp, lane).bits == 0;
    const auto result = [&](u64 held) { return atomic_result(memory.operation, memory.type, held, operand, second); };
    const auto changes = [&](const std::byte* bytes) {
      u64 held = 0;
      std::memcpy(&held, bytes, memory.element_bytes);
      return !is_known || result(held) != held;
    };
    u32 source_of_address = UnwrittenReads::none;
    event.address_value = memory.address;
    const bool is_marked = (taint_of(context, memory.address, warp, lane) & (poisoned | undefined)) == undefined;
    const bool is_idle = is_marked && only_stores(step) && changes_nothing(event, changes);
    const bool defined = is_idle ? address_is_known(event, memory.address, source_of_address)
                                 : may_store_at(event, memory.address, source_of_address);
    Verdict verdict;
    if (defined)
      verdict = judge(event);
    else
      verdict.perform = false;
    u64 before = 0;
    const Mark before_mark = mark_read(event, verdict, 0, memory.element_bytes);
    const bool is_confirmed = confirms_what_was_read(event, memory);
    Mark mark = part_of(mark_of(context, memory.values[0], warp, lane), 0, memory.element_bytes);
    // What is put in the place of another value does not depend on it.
    if (memory.operation != AtomicOperation::Exchange) {
      if (!is_confirmed) mark = joined(*context.block, mark, mark_of(context, memory.second_operand, warp, lane));
      mark = part_of(joined(*context.block, mark, before_mark), 0, memory.element_bytes);
    }
    // What it makes of undefined bits is undefined: in the block's own memory as if it were stored there.
    const bool is_kept = event.is_in_block() && only_stores(step);
    if (is_kept) {
      if (memory.operation != AtomicOperation::Exchange) mark = whole_mark(computed_source(*context.block, mark));
    } else {
      if (verdict.perform) note_use(context, op->step, warp, lane, mark, "goes into an atomic operation");
      if (mark.bits) mark = whole_mark(UnwrittenReads::a_finding);  // that has been reported
    }
    if (verdict.perform) {
      std::byte data[8];
      read_bytes(event, data);
      std::memcpy(&before, data, memory.element_bytes);
      const u64 after = result(before);
      std::vector<BlockBytes> elsewhere;
      if (source_of_address) elsewhere = maybe_changed(event, changes);
      std::memcpy(data, &after, memory.element_bytes);
      log_access(event);
      // Who uses what an atomic gives that leaves it there has looked, and taken no ticket.
      const bool looks = context.program->code->looks_at(step) && after == before;
      order_read(event, looks ? order::Reader::Look : order::Reader::Ticket);
      // A compare-and-swap that finds another value only reads.
      const bool writes = memory.operation != AtomicOperation::CompareAndSwap ||
                          before == (operand & (~u64(0) >> (64 - 8 * memory.element_bytes)));
      if (writes) order_write(event, after != before);
      if (memory.arrives_with_copies) {
        for (PendingCopy& copy : context.block->copies) {
          if (copy.thread == event.thread() && copy.barrier < 0) copy.barrier = event.offset;
        }
      }
      if (memory.arrives() && (before ^ after) >> 63) end_phase(event);
      sight.add(event, before);
      changed |= after != before;
      write_bytes(event, data);
      mark_stored(event, 0, memory.element_bytes, mark);
      mark_maybe_changed(event, elsewhere, source_of_address);
    } else {
      sight.add(event.address, 0);
    }
    if (step.d != no_value) {
      write_value(context, step.d, warp, lane, before);
      const Mark given = mark.bits && !is_kept ? mark : before_mark;
      set_mark(context, step.d, warp, lane, joined(*context.block, given, whole_mark(source_of_address)));
    }
  });
  return after_strong(context, op, sight, changed);
}

}  // namespace ropewalk::machine::careful
