#include "lib/machine/handlers/careful_memory.h"

#include <algorithm>
#include <cstring>

#include "lib/base/bits.h"
#include "lib/machine/atomics.h"
#include "lib/machine/handlers/careful_lanes.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"
#include "lib/machine/nonfinite.h"

namespace ropewalk::machine::careful {

namespace {

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

// An address made of a register that nobody wrote is a finding; the access is then not performed.
bool address_is_defined(AccessEvent& event, u32 value) {
  event.address_value = value;
  event.address_taint = taint_of(event.context, value, event.warp, event.lane);
  if (!(event.address_taint & undefined)) return true;
  for (const auto& checker : event.context.block->launch->checkers) {
    checker->on_undefined_use(event.context, event.step, event.step_index, event.warp, event.lane,
                              "is used as an address");
  }
  return false;
}

u64 extend(u64 bits, u32 from_bytes, bool sign) {
  if (from_bytes >= 8) return bits;
  const u32 shift = 64 - 8 * from_bytes;
  return sign ? u64(i64(bits << shift) >> shift) : bits << shift >> shift;
}

// Marks bytes as holding a value, or as holding one that is not to be trusted.
void mark_stored(const AccessEvent& event, bool is_poisoned) {
  Block& block = *event.context.block;
  const u64 first = u64(event.offset), last = first + event.bytes;
  u64 *initialized = nullptr, *poisoned_bits = nullptr;
  if (event.space == MemorySpace::Shared) {
    initialized = block.shared_initialized.data();
    poisoned_bits = block.shared_poisoned.data();
  } else if (event.window) {
    if (is_poisoned && !event.window->poisoned) block.launch->memory.keep_poison(event.window_number);
    initialized = event.window->initialized;
    poisoned_bits = event.window->poisoned;
  }
  if (!initialized) return;
  if (is_poisoned) {
    set_bits(poisoned_bits, first, last);
    clear_bits(initialized, first, last);
  } else {
    set_bits(initialized, first, last);
    if (poisoned_bits) clear_bits(poisoned_bits, first, last);
  }
}

// Appends to the block's log what other threads may conflict with, or claims it for the thread.
void log_access(const AccessEvent& event) {
  if (!event.window) return;
  if (event.window->owned) {
    event.context.block->owners->claim(event.window_number, {event.context.block->number, event.thread(), 1,
                                                             u64(event.offset), event.bytes, event.is_write()});
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
  record.atomic = event.kind == AccessKind::Atomic || event.step.memory->is_volatile;
  record.time = event.context.block->time;
  record.warp_time = event.context.block->warp_sync[event.thread() / lanes_per_warp];
  record.converged = event.context.bits[event.warp] == event.context.live[event.warp];
  if (!log.empty()) {
    AccessRecord& last = log.back();
    if (last.step == record.step && last.window == record.window && last.thread + last.lanes == record.thread &&
        last.time == record.time && last.warp_time == record.warp_time && last.width == record.width &&
        last.write == record.write && !last.repeated && last.first + last.bytes == record.first &&
        record.thread % lanes_per_warp != 0) {
      last.bytes += record.width;
      ++last.lanes;
      return;
    }
  }
  log.append() = record;
}

// Notes in the window's bitmaps which bytes were stored, and whether they held another stored value before.
void note_written(const AccessEvent& event, const std::byte* stored) {
  const Window* window = event.window;
  if (!window || !window->written) return;
  const u64 first = u64(event.offset);
  if (window->touched) window->touched[first / touched_chunk] = window->touched[(first + event.bytes - 1) / touched_chunk] = 1;
  if (window->counted) event.context.block->stored_bytes[event.window_number] += event.bytes;
  if (window->differing && any_bit(window->written, first, first + event.bytes)) {
    for (u32 i = 0; i < event.bytes; ++i) {
      if (all_bits(window->written, first + i, first + i + 1) && event.data[i] != stored[i]) {
        set_bits(window->differing, first + i, first + i + 1);
      }
    }
  }
  set_bits(window->written, first, first + event.bytes);
}

void write_bytes(AccessEvent& event, const std::byte* from) {
  if (event.space == MemorySpace::Local) {
    local_store(event.context, u32(event.offset), event.warp, event.lane, from, event.bytes);
    return;
  }
  note_written(event, from);
  std::memcpy(const_cast<std::byte*>(event.data), from, event.bytes);
}

void read_bytes(const AccessEvent& event, std::byte* to) {
  if (event.space == MemorySpace::Local) {
    local_load(event.context, u32(event.offset), event.warp, event.lane, to, event.bytes);
  } else {
    std::memcpy(to, event.data, event.bytes);
  }
}

}  // namespace

void resolve(AccessEvent& event, MemorySpace space) {
  Context& context = event.context;
  LaunchState& launch = *context.block->launch;
  const u64 window = window_of(event.address);
  const bool by_window = space == MemorySpace::Generic;
  const auto own = [&](MemorySpace which, u64 base_window, u64 extent) {
    event.space = which;
    event.offset = by_window ? i64(event.address - generic_base(base_window)) : i64(i32(event.address)) == i64(event.address)
                                                                                   ? i64(event.address)
                                                                                   : i64(i32(u32(event.address)));
    if (!by_window && event.address > 0xffffffffull) event.offset = i64(event.address);
    event.extent = extent;
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
    event.data = context.local + local_place(context, u32(event.offset), event.warp, event.lane);
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
  event.window_number = u32(window);
  event.offset = i64(event.address - event.window->base);
  event.extent = event.window->bytes;
  event.data = event.window->data + event.offset;
}

Verdict judge(AccessEvent& event) {
  LaunchState& launch = *event.context.block->launch;
  if (event.window && event.window->lazy && event.offset >= 0 && u64(event.offset) + event.bytes <= event.extent) {
    launch.memory.materialize(*event.window, u64(event.offset), u64(event.offset) + event.bytes);
  }
  Verdict verdict;
  for (const auto& checker : launch.checkers) {
    checker->on_access(event, verdict);
    if (!verdict.perform) break;
  }
  return verdict;
}

const Op* load(Context& context, const Op* op) {
  const MemoryStep& memory = *step_of(context, op).memory;
  const u32 bytes = memory.element_bytes * memory.count;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event = make_event(context, op, warp, lane, AccessKind::Load,
                                   address_of(context, memory.address, memory.offset, warp, lane), bytes);
    resolve(event, memory.space);
    const bool defined = address_is_defined(event, memory.address);
    // Elements that go to registers which nothing reads need not be initialised.
    event.element_bytes = memory.element_bytes;
    for (u32 i = 0; i < memory.count; ++i) {
      if (memory.values[i] == no_value || !context.program->code->is_read[memory.values[i]]) event.unused |= 1u << i;
    }
    Verdict verdict;
    if (defined) verdict = judge(event);
    else verdict.perform = false;
    alignas(16) std::byte data[64] = {};
    if (verdict.perform) {
      read_bytes(event, data);
      log_access(event);
    }
    const u8 taint = !verdict.perform || verdict.poison ? u8(poisoned) : u8(clean);
    for (u32 i = 0; i < memory.count; ++i) {
      if (memory.values[i] == no_value) continue;
      u64 bits = 0;
      std::memcpy(&bits, data + i * memory.element_bytes, memory.element_bytes);
      write_value(context, memory.values[i], warp, lane, extend(bits, memory.element_bytes, memory.sign_extend));
      set_taint(context, memory.values[i], warp, lane, taint);
    }
    if (!context.shadow->origins.empty()) note_loaded_origin(context, event, memory);
  });
  return op + 1;
}

const Op* store(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  const u32 bytes = memory.element_bytes * memory.count;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event = make_event(context, op, warp, lane, AccessKind::Store,
                                   address_of(context, memory.address, memory.offset, warp, lane), bytes);
    resolve(event, memory.space);
    if (!address_is_defined(event, memory.address)) return;
    alignas(16) std::byte data[64];
    u8 taint = clean;
    for (u32 i = 0; i < memory.count; ++i) {
      const u64 bits = read_value(context, memory.values[i], warp, lane);
      std::memcpy(data + i * memory.element_bytes, &bits, memory.element_bytes);
      taint |= taint_of(context, memory.values[i], warp, lane);
    }
    event.stored = data;
    if (!judge(event).perform) return;
    if ((taint & undefined) && !(taint & poisoned) && event.space != MemorySpace::Local) {
      for (const auto& checker : context.block->launch->checkers) {
        checker->on_undefined_use(context, step, op->step, warp, lane, "is stored");
      }
    }
    log_access(event);
    write_bytes(event, data);
    if (event.space == MemorySpace::Local) {
      mark_local(context, u32(event.offset), warp, lane, bytes, (taint & (poisoned | undefined)) == 0);
    } else {
      mark_stored(event, (taint & (poisoned | undefined)) != 0);
    }
    if (!context.shadow->origins.empty()) note_stored_origin(context, event, memory);
  });
  return op + 1;
}

const Op* atomic(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    AccessEvent event = make_event(context, op, warp, lane, AccessKind::Atomic,
                                   address_of(context, memory.address, memory.offset, warp, lane), memory.element_bytes);
    resolve(event, memory.space);
    const bool defined = address_is_defined(event, memory.address);
    Verdict verdict;
    if (defined) verdict = judge(event);
    else verdict.perform = false;
    u64 before = 0;
    u8 taint = taint_of(context, memory.values[0], warp, lane) | taint_of(context, memory.second_operand, warp, lane);
    if (verdict.poison) taint |= poisoned;
    if (verdict.perform) {
      std::byte data[8];
      read_bytes(event, data);
      std::memcpy(&before, data, memory.element_bytes);
      const u64 operand = read_value(context, memory.values[0], warp, lane);
      const u64 second = memory.second_operand == no_value ? 0 : read_value(context, memory.second_operand, warp, lane);
      const u64 after = atomic_result(memory.operation, memory.type, before, operand, second);
      std::memcpy(data, &after, memory.element_bytes);
      log_access(event);
      write_bytes(event, data);
      if (event.space == MemorySpace::Local) mark_local(context, u32(event.offset), warp, lane, event.bytes, true);
      else mark_stored(event, (taint & (poisoned | undefined)) != 0);
    } else {
      taint |= poisoned;
    }
    if (step.d != no_value) {
      write_value(context, step.d, warp, lane, before);
      set_taint(context, step.d, warp, lane, taint & poisoned);
    }
  });
  return op + 1;
}

const Op* copy_async(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  Block& block = *context.block;
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    PendingCopy copy;
    copy.bytes = memory.element_bytes;
    copy.step = op->step;
    u32 wanted = memory.element_bytes;
    if (memory.source_size != no_value) {
      wanted = std::min(wanted, u32(read_value(context, memory.source_size, warp, lane)));
    }
    if (memory.ignore_source != no_value && read_value(context, memory.ignore_source, warp, lane)) wanted = 0;
    if (wanted > 0) {
      AccessEvent source = make_event(context, op, warp, lane, AccessKind::Load,
                                      address_of(context, memory.source_address, memory.source_offset, warp, lane),
                                      wanted);
      resolve(source, MemorySpace::Global);
      source.aligned_to = memory.element_bytes;
      const bool defined = address_is_defined(source, memory.source_address);
      Verdict verdict;
      if (defined) verdict = judge(source);
      else verdict.perform = false;
      if (verdict.perform) {
        read_bytes(source, copy.data.data());
        log_access(source);
      }
      copy.poisoned = !verdict.perform || verdict.poison;
    }
    AccessEvent target = make_event(context, op, warp, lane, AccessKind::Store,
                                    address_of(context, memory.address, memory.offset, warp, lane),
                                    memory.element_bytes);
    resolve(target, MemorySpace::Shared);
    target.is_asynchronous = true;
    if (!address_is_defined(target, memory.address) || !judge(target).perform) return;
    copy.thread = target.thread();
    copy.group = block.committed[copy.thread];
    copy.offset = u32(target.offset);
    set_bits(block.shared_in_flight.data(), copy.offset, copy.offset + copy.bytes);
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

namespace {

// The bytes of a copy arrive, and the thread that issued it has written them.
void land(Block& block, const PendingCopy& copy) {
  std::memcpy(block.shared.data() + copy.offset, copy.data.data(), copy.bytes);
  clear_bits(block.shared_in_flight.data(), copy.offset, copy.offset + copy.bytes);
  if (copy.poisoned) {
    set_bits(block.shared_poisoned.data(), copy.offset, copy.offset + copy.bytes);
    clear_bits(block.shared_initialized.data(), copy.offset, copy.offset + copy.bytes);
  } else {
    set_bits(block.shared_initialized.data(), copy.offset, copy.offset + copy.bytes);
    clear_bits(block.shared_poisoned.data(), copy.offset, copy.offset + copy.bytes);
  }
  block.note_shared_write(copy.offset, copy.bytes);
  SharedShadow& shadow = block.shadow;
  for (u32 g = copy.offset / shadow.granule; g <= (copy.offset + copy.bytes - 1) / shadow.granule; ++g) {
    shadow.writer[g] = SharedShadow::word_of(block.time, copy.thread);
    shadow.writer_step[g] = u16(copy.step);
    if (!shadow.writer_sync.empty()) shadow.writer_sync[g] = u16(block.warp_sync[copy.thread / lanes_per_warp]);
  }
}

}  // namespace

const Op* wait_async(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  Block& block = *context.block;
  const bool everything = step.text == "all";
  const u32 left = u32(op->immediate);
  // One pass over what is pending, in the order of issue.
  const u32 first = context.first_thread, end = first + context.lane_count();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.copies.size(); ++i) {
    const PendingCopy copy = block.copies[i];
    const bool mine = copy.thread >= first && copy.thread < end &&
                      ((context.bits[(copy.thread - first) / lanes_per_warp] >> (copy.thread % lanes_per_warp)) & 1u);
    const u32 committed = block.committed[copy.thread];
    const bool lands = mine && (everything || (copy.group < committed && committed - copy.group > left));
    if (lands) land(block, copy);
    else block.copies[kept++] = copy;
  }
  block.copies.resize(kept);
  return op + 1;
}

// Lane l gives the address of row l % 8 of matrix l / 8; after it, lane l holds the elements (2l % 8, 2l % 8 + 1) of
// row l / 4 of each matrix (PTX ISA, ldmatrix). With .trans rows and columns change places.
const Op* load_matrix(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    u16 rows[4][8][8] = {};
    u8 taints[4][8] = {};
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      for (u32 row = 0; row < 8; ++row) {
        const u32 lane = matrix * 8 + row;
        AccessEvent event = make_event(context, op, warp, lane, AccessKind::Load,
                                       address_of(context, memory.address, memory.offset, warp, lane), 16);
        resolve(event, memory.space);
        Verdict verdict;
        if (address_is_defined(event, memory.address)) verdict = judge(event);
        else verdict.perform = false;
        if (verdict.perform) read_bytes(event, reinterpret_cast<std::byte*>(rows[matrix][row]));
        if (!verdict.perform || verdict.poison) taints[matrix][row] = poisoned;
      }
    }
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        const u32 row = lane / 4, column = lane % 4 * 2;
        const u16 low = op->immediate ? rows[matrix][column][row] : rows[matrix][row][column];
        const u16 high = op->immediate ? rows[matrix][column + 1][row] : rows[matrix][row][column + 1];
        const u8 taint = op->immediate ? taints[matrix][column] | taints[matrix][column + 1] : taints[matrix][row];
        write_value(context, memory.values[matrix], warp, lane, u32(low) | u32(high) << 16);
        set_taint(context, memory.values[matrix], warp, lane, taint);
      }
    }
  }
  return op + 1;
}

const Op* store_matrix(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const MemoryStep& memory = *step.memory;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    for (u32 matrix = 0; matrix < memory.count; ++matrix) {
      u16 rows[8][8];
      u8 taints[8] = {};
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        const u32 bits = u32(read_value(context, memory.values[matrix], warp, lane));
        const u8 taint = taint_of(context, memory.values[matrix], warp, lane);
        const u32 row = lane / 4, column = lane % 4 * 2;
        for (u32 half = 0; half < 2; ++half) {
          const u32 r = op->immediate ? column + half : row, c = op->immediate ? row : column + half;
          rows[r][c] = u16(bits >> (16 * half));
          taints[r] |= taint;
        }
      }
      for (u32 row = 0; row < 8; ++row) {
        const u32 lane = matrix * 8 + row;
        AccessEvent event = make_event(context, op, warp, lane, AccessKind::Store,
                                       address_of(context, memory.address, memory.offset, warp, lane), 16);
        resolve(event, memory.space);
        event.stored = reinterpret_cast<const std::byte*>(rows[row]);
        if (!address_is_defined(event, memory.address) || !judge(event).perform) continue;
        write_bytes(event, event.stored);
        mark_stored(event, (taints[row] & (poisoned | undefined)) != 0);
      }
    }
  }
  return op + 1;
}

const Op* index_statement(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  for_active_lanes(context, [&](u32 warp, u32 lane) {
    const u32 index = u32(read_value(context, step.a, warp, lane)), bound = u32(read_value(context, step.b, warp, lane));
    const u8 taint = taint_of(context, step.a, warp, lane) | taint_of(context, step.b, warp, lane);
    if (taint & (poisoned | undefined)) return;
    for (const auto& checker : context.block->launch->checkers) {
      checker->on_index(context, step, op->step, warp, lane, index, bound);
    }
  });
  return op + 1;
}

}  // namespace ropewalk::machine::careful
