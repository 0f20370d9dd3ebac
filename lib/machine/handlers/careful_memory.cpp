#include "lib/machine/handlers/careful_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "lib/base/bits.h"
#include "lib/machine/doubt.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/handlers/careful_marks.h"
#include "lib/machine/handlers/careful_order.h"
#include "lib/machine/judge.h"
#include "lib/machine/known_bits.h"
#include "lib/machine/known_differences.h"
#include "lib/machine/known_ranges.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"
#include "lib/machine/maybe_stored.h"
#include "lib/machine/nonfinite.h"
#include "lib/machine/overflow.h"
#include "lib/machine/undefined_stores.h"

namespace ropewalk::machine::careful {

AccessEvent make_event(Context& context, const Op* op, u32 warp, u32 lane, AccessKind kind, u64 address, u32 bytes) {
  AccessEvent event{context, step_of(context, op)};
  event.step_index = op->step;
  event.warp = warp;
  event.lane = lane;
  event.kind = kind;
  event.address = address;
  event.bytes = bytes;
  return event;
}

namespace {

void report_register(const Context& context, u32 step, u32 warp, u32 lane, const char* what) {
  for (const auto& checker : context.block->launch->checkers) {
    checker->on_unwritten_register(context, step, warp, lane, what);
  }
}

void note_source(const Context& context, u32 step, u32 warp, u32 lane, u32 source, const char* what) {
  if (source == UnwrittenReads::none || source == UnwrittenReads::a_finding) return;
  Block& block = *context.block;
  if (block.unwritten.report(source, *block.collector)) report_register(context, step, warp, lane, what);
}

// A value that is stored where others can read it matters byte by byte.
void note_stored(const Context& context, u32 step, u32 warp, u32 lane, const Mark& mark) {
  for (u32 byte = 0; byte < 8 && mark.bits; ++byte) {
    if (byte > 0 && mark.sources[byte] == mark.sources[byte - 1]) continue;
    note_source(context, step, warp, lane, mark.sources[byte], "is stored");
  }
}

}  // namespace

void note_use(const Context& context, u32 step, u32 warp, u32 lane, const Mark& mark, const char* what) {
  if (mark.bits) note_source(context, step, warp, lane, source_of(*context.block, mark), what);
}

bool address_is_defined(AccessEvent& event, u32 value) {
  const Mark mark = mark_of(event.context, value, event.warp, event.lane);
  event.address_value = value;
  event.address_taint = taint_of(event.context, value, event.warp, event.lane);
  note_use(event.context, event.step_index, event.warp, event.lane, mark, "is used as an address");
  return !(event.address_taint & undefined);
}

bool address_is_known(AccessEvent& event, u32 value, u32& source) {
  event.address_value = value;
  if (!(taint_of(event.context, value, event.warp, event.lane) & undefined) || !is_inside_everywhere(event))
    return address_is_defined(event, value);
  source = source_of(*event.context.block, mark_of(event.context, value, event.warp, event.lane));
  return true;
}

bool may_store_at(AccessEvent& event, u32 value, u32& source) {
  return event.is_in_block() && only_stores(event.step) ? address_is_known(event, value, source)
                                                        : address_is_defined(event, value);
}

namespace {

u64 extend(u64 bits, u32 from_bytes, bool sign) {
  if (from_bytes >= 8) return bits;
  const u32 shift = 64 - 8 * from_bytes;
  return sign ? u64(i64(bits << shift) >> shift) : bits << shift >> shift;
}

// Notes in the window's bitmaps which bytes were stored, and whether they held another stored value before.
void note_written(const AccessEvent& event, const std::byte* stored) {
  const Window* window = event.window;
  if (!window || !window->written) return;
  const u64 first = u64(event.offset);
  Block& block = *event.context.block;
  if (window->counted)
    (event.kind == AccessKind::Atomic ? block.atomic_bytes : block.stored_bytes)[event.window_number] += event.bytes;
  if (window->differing && any_bit(window->written, first, first + event.bytes)) {
    for (u32 i = 0; i < event.bytes; ++i) {
      if (all_bits(window->written, first + i, first + i + 1) && event.data[i] != stored[i]) {
        set_bits(window->differing, first + i, first + i + 1);
      }
    }
  }
  set_bits(window->written, first, first + event.bytes);
}

}  // namespace

void log_access(const AccessEvent& event) {
  if (!event.window) return;
  // An atomic of a block's scope is none for other launches.
  const MemoryStep& memory = *event.step.memory;
  const bool is_strong = (event.kind == AccessKind::Atomic || memory.is_strong()) && memory.scope != Scope::Block;
  note_touched(*event.window, u64(event.offset), event.bytes, event.is_write(), is_strong, memory.is_early);
  if (event.context.block->order) return;
  if (event.window->owned) {
    // What reads later than it stands there is ordered with no write of anybody, until it has been waited for.
    const bool is_late = event.is_asynchronous;
    event.context.block->owners->claim(
        event.window_number, {event.context.block->number, event.thread(), is_late ? 2u : 1u, u64(event.offset),
                              event.bytes, event.is_write(), is_late, memory.is_noncoherent});
  }
  if (!event.window->tracked) return;
  AccessLog& log = event.context.block->log;
  AccessRecord record;
  record.window = event.window_number;
  record.step = event.step_index;
  record.first = u64(event.offset);
  record.bytes = event.bytes;
  record.width = u16(event.bytes);
  record.thread = u16(event.thread());
  record.write = event.is_write();
  record.atomic = event.kind == AccessKind::Atomic || memory.is_strong();
  record.noncoherent = memory.is_noncoherent;
  record.time = event.context.block->time;
  record.together = event.context.together(event.warp);
  if (event.is_asynchronous) {
    record.until = record.until_time = AccessRecord::never;
  } else if (!log.empty()) {
    AccessRecord& last = log.back();
    if (last.step == record.step && last.window == record.window && last.thread + last.lanes == record.thread &&
        last.time == record.time && last.width == record.width && last.write == record.write && !last.repeated &&
        last.first + last.bytes == record.first && record.thread % lanes_per_warp != 0) {
      last.bytes += record.width;
      ++last.lanes;
      return;
    }
  }
  log.append() = record;
}

void write_bytes(AccessEvent& event, const std::byte* from) {
  if (event.space == MemorySpace::Local) {
    local_store(event.context, u32(event.offset), event.warp, event.lane, from, event.bytes);
    return;
  }
  note_written(event, from);
  order::Order* const order = event.context.block->launch->order;
  if (order && std::memcmp(event.data, from, event.bytes) != 0) ++order->version;
  std::memcpy(const_cast<std::byte*>(event.data), from, event.bytes);
}

void read_bytes(const AccessEvent& event, std::byte* to) {
  if (event.space == MemorySpace::Local) {
    local_load(event.context, u32(event.offset), event.warp, event.lane, to, event.bytes);
  } else {
    std::memcpy(to, event.data, event.bytes);
  }
}

void resolve(AccessEvent& event, MemorySpace space) {
  Context& context = event.context;
  LaunchState& launch = *context.block->launch;
  event.address = launch.memory.canonical(event.address);
  const u64 window = window_of(event.address);
  const bool by_window = space == MemorySpace::Generic;
  const auto own = [&](MemorySpace which, u64 base_window, u64 extent) {
    event.space = which;
    event.offset = by_window                                       ? i64(event.address - generic_base(base_window))
                   : i64(i32(event.address)) == i64(event.address) ? i64(event.address)
                                                                   : i64(i32(u32(event.address)));
    if (!by_window && event.address > 0xffffffffull) event.offset = i64(event.address);
    event.start = event.step.memory->first_byte;
    event.extent = std::min<u64>(extent, event.step.memory->last_byte);
  };
  event.window = nullptr;
  event.window_number = 0;
  if (space == MemorySpace::Shared || (by_window && window == shared_window)) {
    own(MemorySpace::Shared, shared_window, context.block->shared_bytes);
    event.data = context.block->shared.data() + event.offset;
    return;
  }
  if (space == MemorySpace::Local || (by_window && window == local_window)) {
    own(MemorySpace::Local, local_window, context.program->code->local_bytes);
    event.data = context.local + local_offset(context, u32(event.offset), event.warp, event.lane);
    return;
  }
  if (space == MemorySpace::Parameter || (by_window && window == parameter_window)) {
    own(MemorySpace::Parameter, parameter_window, launch.memory.parameters().size());
    event.data = launch.memory.parameters().data() + event.offset;
    return;
  }
  event.space = space == MemorySpace::Constant ? MemorySpace::Constant : MemorySpace::Global;
  event.window = launch.memory.find(event.address);
  if (!event.window) {
    event.offset = i64(event.address);
    event.extent = 0;
    return;
  }
  event.window_number = event.window->index;
  event.offset = i64(event.address - event.window->base);
  event.extent = event.window->bytes;
  event.data = event.window->data + event.offset;
}

Verdict judge(AccessEvent& event) {
  LaunchState& launch = *event.context.block->launch;
  const bool is_inside = event.window && event.offset >= 0 && u64(event.offset) + event.bytes <= event.extent;
  if (is_inside && event.window->lazy) {
    launch.memory.materialize(*event.window, u64(event.offset), u64(event.offset) + event.bytes);
  }
  if (event.is_write() && is_inside) mark_stored(*event.window, u64(event.offset), u64(event.offset) + event.bytes);
  event.in_doubt = !event.context.shadow->doubts.empty() && is_in_doubt(event.context, event.warp, event.lane);
  Verdict verdict;
  for (const auto& checker : launch.checkers) {
    checker->on_access(event, verdict);
    if (!verdict.perform) break;
  }
  if (event.in_doubt && !verdict.perform) report_doubts(event.context, event.warp, event.lane);
  return verdict;
}

namespace {

// Whether an mbarrier's object is in another phase than the one that is waited for.
bool is_phase_over(const Context& context, const MemoryStep& memory, const std::byte* object, u32 warp, u32 lane) {
  u64 bits = 0;
  std::memcpy(&bits, object, 8);
  return ((bits ^ read_value(context, memory.second_operand, warp, lane)) >> 63) != 0;
}

}  // namespace

const Op* load(Context& context, const Op* op) {
  const MemoryStep& memory = *step_of(context, op).memory;
  const u32 bytes = memory.element_bytes * memory.count;
  Sight sight;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event = make_event(context, op, warp, lane, AccessKind::Load,
                                   address_of(context, memory.address, memory.offset, warp, lane), bytes);
    resolve(event, memory.space);
    u32 source_of_address = UnwrittenReads::none;
    const bool defined = address_is_known(event, memory.address, source_of_address);
    // Elements that go to registers which nothing reads need not be initialised.
    event.element_bytes = memory.element_bytes;
    for (u32 i = 0; i < memory.count; ++i) {
      if (memory.values[i] == no_value || !context.program->code->is_read[memory.values[i]]) event.unused |= 1u << i;
    }
    Verdict verdict;
    if (defined)
      verdict = judge(event);
    else
      verdict.perform = false;
    alignas(16) std::byte data[64] = {};
    if (verdict.perform) {
      read_bytes(event, data);
      log_access(event);
      if (memory.is_strong()) {
        if (!memory.is_phase_test)
          order_read(event);
        else if (is_phase_over(context, memory, data, warp, lane))
          after_phase(event);
        u64 words[2];
        std::memcpy(words, data, 16);
        sight.add(event, bytes > 8 ? words[0] ^ mix(words[1]) : words[0]);
      }
    } else {
      sight.add(event.address, 0);  // whatever is there, it sees the same each time
    }
    for (u32 i = 0; i < memory.count; ++i) {
      if (memory.values[i] == no_value) continue;
      u64 bits = 0;
      std::memcpy(&bits, data + i * memory.element_bytes, memory.element_bytes);
      write_value(context, memory.values[i], warp, lane, extend(bits, memory.element_bytes, memory.sign_extend));
      Mark mark;
      if (!((event.unused >> i) & 1u)) {
        mark = extended_mark(mark_read(event, verdict, i * memory.element_bytes, memory.element_bytes),
                             memory.element_bytes, memory.sign_extend);
      }
      if (source_of_address) mark = joined(*context.block, mark, whole_mark(source_of_address));
      set_mark(context, memory.values[i], warp, lane, mark);
      if (verdict.perform && !verdict.poison && !source_of_address)
        note_loaded_base(event, i * memory.element_bytes, memory.element_bytes, memory.values[i]);
      if (verdict.perform) note_loaded_wrap(event, i * memory.element_bytes, memory.element_bytes, memory.values[i]);
    }
    if (!context.shadow->origins.empty()) note_loaded_origin(context, event, memory);
  });
  if (memory.is_strong()) return after_strong(context, op, sight, false);
  return op + 1;
}

namespace {

// Whether a source is a read of the byte that it is stored to again.
bool is_kept(const AccessEvent& event, u32 source, u64 byte) {
  const Occurrence* const read = event.context.block->unwritten.read_of(source);
  return read && read->has_access && read->window == event.window_number && i64(byte) >= read->offset &&
         i64(byte) < read->offset + read->bytes;
}

// Notes that of a value which is stored in private memory, what is to be reported where it is used. What stands around
// bits that are set (of a bit field) is as unwritten as it was.
void defer(const AccessEvent& event, u32 at, u32 bytes, const Mark& mark) {
  const bool is_whole = (mark.bits & bits_mask(8 * bytes)) == bits_mask(8 * bytes);
  Context& context = event.context;
  Block& block = *context.block;
  const u64 start = u64(event.offset) + at;
  for (u32 byte = 0, last = 0; byte < 8 && mark.bits >> (8 * byte); byte = last) {
    const u32 source = mark.sources[byte];
    for (last = byte + 1; last < 8 && mark.sources[last] == source;) ++last;
    if (block.unwritten.is_reported(source)) continue;
    if (!is_whole && is_kept(event, source, start + byte)) continue;
    UndefinedStores::Stored& stored =
        block.undefined_stores->add(event.window_number, event.step_index, start + byte, start + last);
    stored.is_computed |= block.unwritten.is_computed(source);
    if (!block.unwritten.tell(source, stored.reported, stored.found)) continue;
    Collector* const all = std::exchange(block.collector, &stored.found);
    report_register(context, event.step_index, event.warp, event.lane, "is stored");
    block.collector = all;
  }
}

bool outlives_the_launch(const AccessEvent& event) {
  if (!event.window || event.window->tensor < 0) return false;
  return event.context.block->launch->launch.tensors[u32(event.window->tensor)].resident.has_value();
}

}  // namespace

const Op* store(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  const u32 bytes = memory.element_bytes * memory.count;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event = make_event(context, op, warp, lane, AccessKind::Store,
                                   address_of(context, memory.address, memory.offset, warp, lane), bytes);
    resolve(event, memory.space);
    u32 source_of_address = UnwrittenReads::none;
    if (!may_store_at(event, memory.address, source_of_address)) return void(context.block->launch->lost_stores = true);
    alignas(16) std::byte data[64];
    Mark marks[8];
    for (u32 i = 0; i < memory.count; ++i) {
      const u64 bits = read_value(context, memory.values[i], warp, lane);
      std::memcpy(data + i * memory.element_bytes, &bits, memory.element_bytes);
      marks[i] = mark_of(context, memory.values[i], warp, lane);
    }
    event.stored = data;
    if (!judge(event).perform) {
      if (event.address_taint & poisoned) context.block->launch->lost_stores = true;
      lose_stored(event);
      return;
    }
    std::vector<BlockBytes> elsewhere;
    if (source_of_address)
      elsewhere = maybe_changed(event, [&](const std::byte* held) { return std::memcmp(held, data, bytes) != 0; });
    log_access(event);
    order_write(event);
    write_bytes(event, data);
    // What goes to memory that is nobody else's matters where it is read again.
    for (u32 i = 0; i < memory.count; ++i) {
      const Mark whole = part_of(marks[i], 0, memory.element_bytes);
      Mark stored = whole;
      const u8 copied = event.is_in_block() ? u8(0) : drop_padding(*context.block, stored);  // of what nobody wrote
      if (event.is_deferred())
        defer(event, i * memory.element_bytes, memory.element_bytes, stored);
      else if (!event.is_followed())
        note_stored(context, op->step, warp, lane, stored);
      mark_stored(event, i * memory.element_bytes, memory.element_bytes, event.is_followed() ? whole : stored);
      if (copied && outlives_the_launch(event)) leave_unwritten(event, i * memory.element_bytes, copied);
      note_stored_base(event, i * memory.element_bytes, memory.element_bytes, memory.values[i]);
      note_stored_wrap(event, i * memory.element_bytes, memory.element_bytes, memory.values[i]);
    }
    mark_maybe_changed(event, elsewhere, source_of_address);
    if (!context.shadow->origins.empty()) note_stored_origin(context, event, memory);
  });
  if (memory.is_strong()) return after_strong(context, op, {}, true);
  return op + 1;
}

const Op* index_statement(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    const u32 index = u32(read_value(context, step.a, warp, lane)),
              bound = u32(read_value(context, step.b, warp, lane));
    const u8 taint = taint_of(context, step.a, warp, lane) | taint_of(context, step.b, warp, lane);
    if (taint & (poisoned | undefined)) return;
    for (const auto& checker : context.block->launch->checkers) {
      checker->on_index(context, step, op->step, warp, lane, index, bound);
    }
  });
  return op + 1;
}

}  // namespace ropewalk::machine::careful
