// Loads and stores of tensors, in the fast tier.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

// The window that holds [first, first + bytes) whole, with the offset of the first byte; nullptr: none, or not one that
// can be accessed without a closer look.
[[gnu::always_inline]] inline const Window* window_for(const Context& context, u64 first, u64 bytes, u64& offset) {
  const u64 number = window_of(first);
  if (number >= context.window_count) return nullptr;
  const Window& window = context.windows[number];
  offset = first - window.base;
  if (offset >= window.bytes || window.bytes - offset < bytes || !window.data || window.freed) return nullptr;
  return &window;
}

// Whether all bytes hold values and may be touched.
[[gnu::always_inline]] inline bool readable(Context& context, const Window& window, u64 first, u64 bytes) {
  if (window.allowed && !all_bits(window.allowed, first, first + bytes)) return false;
  if (!window.initialized || all_bits(window.initialized, first, first + bytes)) return true;
  return make_lazy(*context.block, window, first, first + bytes) &&
         all_bits(window.initialized, first, first + bytes);
}

[[gnu::always_inline]] inline bool writable(Context& context, const Window& window, u64 first, u64 bytes) {
  if (window.read_only || window.poisoned) return false;
  if (window.allowed && !all_bits(window.allowed, first, first + bytes)) return false;
  if (window.lazy) make_lazy(*context.block, window, first, first + bytes);
  return true;
}

inline void record(Context& context, const Op* op, const FastAccess& access, const Window& window, u64 first, u32 warp,
                   u32 lane, u32 lanes, bool write, bool repeated) {
  Block& block = *context.block;
  const u32 width = access.element_bytes * access.count;
  if (window.owned) {
    const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
    block.owners->claim(u32(&window - context.windows), {block.number, thread, lanes, first, width, write, repeated});
  }
  if (!window.tracked) return;
  AccessRecord& it = block.log.append();
  it.window = u32(&window - context.windows);
  it.step = op->step;
  it.first = first;
  it.bytes = repeated ? width : width * lanes;
  it.width = u16(width);
  it.lanes = u16(lanes);
  it.thread = u16(context.first_thread + warp * lanes_per_warp + lane);
  it.write = write;
  it.atomic = access.is_strong;
  it.time = block.time;
  it.repeated = repeated;
  it.converged = context.bits[warp] == context.live[warp];
}

// All lanes of all warps, side by side: a record a warp, as the careful tier writes them.
inline void record_group(Context& context, const Op* op, const FastAccess& access, const Window& window, u64 first, bool write) {
  if (window.owned) {
    const u32 width = access.element_bytes * access.count;
    context.block->owners->claim(u32(&window - context.windows), {context.block->number, context.first_thread,
                                                                  context.lane_count(), first, width, write, false});
  }
  if (!window.tracked) return;
  const u64 bytes = u64(access.element_bytes) * access.count * lanes_per_warp;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    record(context, op, access, window, first + warp * bytes, warp, 0, lanes_per_warp, write, false);
  }
}

// In pieces that need no call.
[[gnu::always_inline]] inline void copy_bytes(std::byte* to, const std::byte* from, u64 bytes) {
  using P = Pack<u64>;
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64) P::store(to, P::load(from));
  if (bytes) __builtin_memcpy(to, from, bytes);
}

inline void write_range(Context& context, const Window& window, u64 first, const std::byte* data, u64 bytes) {
  if (window.touched) window.touched[first / touched_chunk] = window.touched[(first + bytes - 1) / touched_chunk] = 1;
  if (window.counted) context.block->stored_bytes.data()[&window - context.windows] += bytes;
  if (window.written) {
    if (window.differing && any_bit(window.written, first, first + bytes) &&
        __builtin_memcmp(window.data + first, data, bytes) != 0) {
      mark_differing(window, first, data, bytes);
    }
    set_bits(window.written, first, first + bytes);
  }
  if (window.initialized && window.initialized != window.written) set_bits(window.initialized, first, first + bytes);
  copy_bytes(window.data + first, data, bytes);
}

// Lanes that lie anywhere in one window that nobody watches, gathered. False: they do not.
inline bool gather_scattered(Context& context, const Addresses& addresses, u32 bits, u32 width, std::byte* gathered) {
  const u64 some = addresses[__builtin_ctz(bits)];
  u64 low = some, high = some, all = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    const u64 address = (bits >> i) & 1u ? addresses[i] : some;
    low = address < low ? address : low;
    high = address > high ? address : high;
    all |= address;
  }
  u64 offset = 0;
  const Window* window = window_for(context, low, high - low + width, offset);
  if (!window || window->tracked || window->owned || all % width != 0) return false;
  // Where the whole range will do, it is looked at once.
  const bool near = high - low <= 4096 && readable(context, *window, offset, high - low + width);
  const std::byte* data = window->data + offset;
  for (u32 rest = bits; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest));
    const u64 at = addresses[lane] - low;
    if (!near && !readable(context, *window, offset + at, width)) return false;
    switch (width) {
      case 2: __builtin_memcpy(gathered + lane * 2, data + at, 2); break;
      case 4: __builtin_memcpy(gathered + lane * 4, data + at, 4); break;
      case 8: __builtin_memcpy(gathered + lane * 8, data + at, 8); break;
      case 16: __builtin_memcpy(gathered + lane * 16, data + at, 16); break;
      default: __builtin_memcpy(gathered + lane * width, data + at, width); break;
    }
  }
  return true;
}

// Where the active lanes of a warp find what they load. False: not all of it is innocent.
inline bool find_rows(Context& context, const Op* op, const FastAccess& access, u32 warp, std::byte* gathered, Rows& rows) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  alignas(64) u64 room[lanes_per_warp];
  const Addresses addresses = addresses_of(context, access, warp, room);
  Piece pieces[lanes_per_warp];
  u32 count = cut_quarters(addresses, bits, width, pieces);
  if (count == 0) {
    if (gather_scattered(context, addresses, bits, width, gathered)) return rows = Rows(gathered, width), true;
    count = cut(addresses, bits, width, pieces);
  }
  const std::byte* data[lanes_per_warp];
  for (u32 i = 0; i < count; ++i) {
    const Piece& piece = pieces[i];
    const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
    u64 offset = 0;
    const Window* window = window_for(context, piece.offset, bytes, offset);
    if (!window || piece.offset % width != 0 || !readable(context, *window, offset, bytes)) return false;
    data[i] = window->data + offset;
    record(context, op, access, *window, offset, warp, piece.first, piece.lanes, false, piece.repeated);
  }
  rows = rows_of(access, pieces, count, data, gathered);
  return true;
}

}  // namespace

const Op* load_global(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 group = 0;
  if (group_contiguous(context, access, width, group)) {
    u64 offset = 0;
    const u64 bytes = u64(width) * context.lane_count();
    const Window* window = window_for(context, group, bytes, offset);
    if (window && group % width == 0 && readable(context, *window, offset, bytes)) {
      record_group(context, op, access, *window, offset, false);
      for (u32 warp = 0; warp < context.warps; ++warp) {
        take_elements(context, access, warp, Rows(window->data + offset + warp * lanes_per_warp * width, width));
      }
      return op + 1;
    }
  }
  // All warps are looked at before a register is written: the careful tier must find them as they were.
  Rows rows[max_warps] = {{nullptr, 0}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
  alignas(64) std::byte gathered[max_warps][lanes_per_warp * 32];
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] && !find_rows(context, op, access, warp, gathered[warp], rows[warp])) return stop_careful(context, op);
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp]) take_elements(context, access, warp, rows[warp]);
  }
  return op + 1;
}

// One address for all lanes, and a result that is kept once.
const Op* load_uniform(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 address = u64(access.offset);
  if (!access.absolute) address += *reinterpret_cast<const u64*>(context.registers + access.address);
  u64 offset = 0;
  const Window* window = window_for(context, address, width, offset);
  if (!window || address % width != 0 || !readable(context, *window, offset, width)) return stop_careful(context, op);
  if (window->tracked || window->owned) {
    for (u32 warp = 0; warp < context.warps; ++warp) {
      if (!context.bits[warp]) continue;
      const u32 first = u32(__builtin_ctz(context.bits[warp])), last = 31 - u32(__builtin_clz(context.bits[warp]));
      record(context, op, access, *window, offset, warp, first, last - first + 1, false, true);
    }
  }
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    const u64 value = widened(window->data + offset + n * access.element_bytes, access.element_bytes, access.sign_extend);
    std::byte* to = context.registers + access.value[n];
    for (u32 i = 0; i < lanes_per_warp; ++i) __builtin_memcpy(to + i * access.value_bytes[n], &value, access.value_bytes[n]);
  }
  return op + 1;
}

// A kernel parameter: the same for all lanes, and always there.
const Op* load_parameter(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 address = u64(access.offset);
  if (!access.absolute) {
    address += access.narrow ? *reinterpret_cast<const u32*>(context.registers + access.address)
                             : *reinterpret_cast<const u64*>(context.registers + access.address);
  }
  if (address + width > context.parameter_bytes || address % width != 0) return stop_careful(context, op);
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    const u64 value = widened(context.parameters + address + n * access.element_bytes, access.element_bytes, access.sign_extend);
    std::byte* to = context.registers + access.value[n];
    switch (access.value_bytes[n]) {
      case 8: for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u64*>(to)[i] = value; break;
      case 4: for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u32*>(to)[i] = u32(value); break;
      default: for (u32 i = 0; i < lanes_per_warp; ++i) reinterpret_cast<u16*>(to)[i] = u16(value); break;
    }
  }
  return op + 1;
}

const Op* store_global(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 group = 0;
  if (group_contiguous(context, access, width, group)) {
    u64 offset = 0;
    const u64 bytes = u64(width) * context.lane_count();
    const Window* window = window_for(context, group, bytes, offset);
    if (window && group % width == 0 && writable(context, *window, offset, bytes)) {
      record_group(context, op, access, *window, offset, true);
      const bool direct = access.count == 1 && access.value_bytes[0] == access.element_bytes && access.value_pitch[0] != 0;
      alignas(64) std::byte staged[max_warps * lanes_per_warp * 32];
      for (u32 warp = 0; warp < context.warps && !direct; ++warp) {
        give_elements(context, access, warp, staged + warp * lanes_per_warp * width);
      }
      write_range(context, *window, offset, direct ? context.registers + access.value[0] : staged, bytes);
      return op + 1;
    }
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    alignas(64) u64 room[lanes_per_warp];
    alignas(64) std::byte staged[lanes_per_warp * 32];
    const Addresses addresses = addresses_of(context, access, warp, room);
    const std::byte* data = staged;
    if (access.count == 1 && access.value_bytes[0] == access.element_bytes && access.value_pitch[0] != 0) {
      data = context.registers + access.value[0] + warp * access.value_pitch[0];
    } else {
      give_elements(context, access, warp, staged);
    }
    // Looked at first, for the careful tier must find nothing done that it would do again otherwise.
    Piece pieces[lanes_per_warp];
    const u32 count = cut(addresses, bits, width, pieces);
    u64 offset = 0;
    for (u32 i = 0; i < count; ++i) {
      const u64 bytes = pieces[i].repeated ? width : u64(pieces[i].lanes) * width;
      const Window* window = window_for(context, pieces[i].offset, bytes, offset);
      if (!window || pieces[i].offset % width != 0 || !writable(context, *window, offset, bytes)) return stop_careful(context, op);
    }
    for (u32 i = 0; i < count; ++i) {
      const Piece& piece = pieces[i];
      const Window& window = *window_for(context, piece.offset, width, offset);
      record(context, op, access, window, offset, warp, piece.first, piece.lanes, true, piece.repeated);
      if (!piece.repeated) {
        write_range(context, window, offset, data + piece.first * width, u64(piece.lanes) * width);
        continue;
      }
      for (u32 lane = 0; lane < piece.lanes; ++lane) write_range(context, window, offset, data + (piece.first + lane) * width, width);
    }
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
