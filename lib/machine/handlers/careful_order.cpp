#include "lib/machine/handlers/careful_order.h"

#include <algorithm>

#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine::careful {

namespace {

bool can_synchronise(const AccessEvent& event) {
  return event.context.block->order && (event.window || event.space == MemorySpace::Shared);
}

u64 location_of(const AccessEvent& event) {
  if (event.space == MemorySpace::Shared) return u64(event.offset);
  return generic_base(event.context.block->launch->memory.whole(event.window_number)) + u64(event.offset);
}

// The same, which no two blocks have in common.
u64 location_in_launch(const AccessEvent& event) {
  const u64 location = location_of(event);
  return event.space == MemorySpace::Shared ? mix(event.context.block->number) ^ location : location;
}

}  // namespace

void Sight::add(const AccessEvent& event, u64 value) {
  add(event.address, value);
  if (first.step != no_value || !can_synchronise(event)) return;
  first = {.step = event.step_index,
           .block = event.context.block->number,
           .thread = event.thread(),
           .window = event.window_number,
           .offset = event.offset,
           .bytes = std::min(event.bytes, 8u),
           .bits = value,
           .location = location_in_launch(event)};
}

const Op* after_strong(Context& context, const Op* op, const Sight& sight, bool changed) {
  order::Order* const order = context.block->launch->order;
  if (!order) return op + 1;
  ++order->synchronised;
  const u64 poll = mix(sight.seen ^ mix(op->step));
  const bool in_vain = !changed && sight.seen && context.poll == poll;
  context.poll = changed ? 0 : poll;
  if (in_vain) context.polled = sight.first;
  const bool is_held = order->holds_this();
  if (!in_vain && !is_held && !order->changes_hands()) return op + 1;
  context.stop = in_vain ? Stop::Wait : is_held ? Stop::Held : Stop::Yield;
  context.op = op + 1;
  return nullptr;
}

namespace {

void read_at(const AccessEvent& event, u64 location, order::Reader reader) {
  Block& block = *event.context.block;
  const MemoryStep& memory = *event.step.memory;
  const u8 assumed = block.launch->assumed_of(event.step_index);
  block.launch->order->read(*block.order, event.thread(), location, event.space == MemorySpace::Shared,
                            with(memory.strength, assumed), with(memory.scope, assumed), reader);
}

}  // namespace

void order_read(const AccessEvent& event, order::Reader reader) {
  if (can_synchronise(event)) read_at(event, location_of(event), reader);
}

void end_phase(const AccessEvent& event) {
  if (!can_synchronise(event) || event.space != MemorySpace::Shared) return;
  Block& block = *event.context.block;
  block.launch->order->end_phase(*block.order, location_of(event));
  for (PendingCopy& copy : block.copies) copy.is_over |= copy.barrier == event.offset;
}

void after_phase(const AccessEvent& event) {
  if (!can_synchronise(event) || event.space != MemorySpace::Shared) return;
  read_at(event, order::Order::phase_over(location_of(event)),
          event.kind == AccessKind::Atomic ? order::Reader::Ticket : order::Reader::Load);
  land_copies(*event.context.block,
              [&](const PendingCopy& copy) { return copy.is_over && copy.barrier == event.offset; });
}

void order_write(const AccessEvent& event, bool changes) {
  if (!can_synchronise(event)) return;
  Block& block = *event.context.block;
  const MemoryStep& memory = *event.step.memory;
  const bool is_shared = event.space == MemorySpace::Shared;
  const bool is_strong = event.kind == AccessKind::Atomic || memory.is_strong();
  if (changes) block.launch->order->note_write(location_in_launch(event), block.number, event.thread(), is_strong);
  if (!memory.is_strong()) return block.launch->order->write_weakly(*block.order, location_of(event), is_shared);
  const u8 assumed = block.launch->assumed_of(event.step_index);
  block.launch->order->write(*block.order, event.thread(), location_of(event), is_shared,
                             with(memory.strength, assumed), with(memory.scope, assumed),
                             event.kind == AccessKind::Atomic);
}

const Op* fence(Context& context, const Op* op) {
  Block& block = *context.block;
  if (!block.order) return op + 1;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    block.launch->order->fence(*block.order, context.first_thread / lanes_per_warp + warp, context.bits[warp],
                               with(Scope(op->immediate), block.launch->assumed_of(op->step)));
  }
  return after_strong(context, op, {}, true);
}

const Op* sleep(Context& context, const Op* op) {
  if (!context.block->order) return op + 1;
  context.stop = Stop::Yield;
  context.op = op + 1;
  return nullptr;
}

const Op* grid_control(Context& context, const Op* op) {
  const bool is_executed =
      std::any_of(context.bits, context.bits + context.warps, [](u32 lanes) { return lanes != 0; });
  if (is_executed) context.block->launch->grid_controls |= u8(op->immediate);
  return op + 1;
}

}  // namespace ropewalk::machine::careful
