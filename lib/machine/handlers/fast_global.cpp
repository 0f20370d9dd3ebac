// Loads and stores of tensors, in the fast tier.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/handlers/fast_windows.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

// Logs what lanes of a warp access in a window, where somebody asks for more than who touched it.
[[gnu::noinline]] void log_access(Context& context, const Op* op, const FastAccess& access, const Window& window,
                                  u64 first, u32 warp, u32 lane, u32 lanes, bool write, bool repeated) {
  Block& block = *context.block;
  const u32 width = access.element_bytes * access.count;
  note_touched(window, first, repeated ? width : width * lanes, write, access.is_strong, access.is_early);
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
  it.noncoherent = access.is_noncoherent;
  it.time = block.time;
  it.until = 0;
  it.repeated = repeated;
  it.together = context.together(warp);
}

// Whether somebody asks for more than who touched it.
[[gnu::always_inline]] inline bool is_logged(const Window& window) { return window.tracked || window.touches; }

// Takes note of what lanes of a warp access in a window that somebody watches.
[[gnu::always_inline]] inline void record(Context& context, const Op* op, const FastAccess& access,
                                          const Window& window, u64 first, u32 warp, u32 lane, u32 lanes, bool write,
                                          bool repeated) {
  if (window.owned) {
    const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
    context.block->owners->claim(u32(&window - context.windows),
                                 {context.block->number, thread, lanes, first, u32(access.element_bytes) * access.count,
                                  write, repeated, access.is_noncoherent});
  }
  if (is_logged(window)) [[unlikely]]
    log_access(context, op, access, window, first, warp, lane, lanes, write, repeated);
}

// All lanes of all warps, side by side: a record a warp, as the careful tier writes them.
[[gnu::noinline]] void record_group(Context& context, const Op* op, const FastAccess& access, const Window& window,
                                    u64 first, bool write) {
  const u32 width = access.element_bytes * access.count;
  if (!window.tracked)
    note_touched(window, first, u64(width) * context.lane_count(), write, access.is_strong, access.is_early);
  if (window.owned) {
    context.block->owners->claim(u32(&window - context.windows),
                                 {context.block->number, context.first_thread, context.lane_count(), first, width,
                                  write, false, access.is_noncoherent});
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
  for (; bytes >= vector_bytes; bytes -= vector_bytes, to += vector_bytes, from += vector_bytes)
    P::store(to, P::load(from));
  if (bytes) __builtin_memcpy(to, from, bytes);
}

// What single lanes store most often needs no call.
[[gnu::always_inline]] inline bool same_bytes(const std::byte* a, const std::byte* b, u64 bytes) {
  return bytes == 4 ? __builtin_memcmp(a, b, 4) == 0 : __builtin_memcmp(a, b, bytes) == 0;
}

inline void write_range(Context& context, const Window& window, u64 first, const std::byte* data, u64 bytes) {
  mark_stored(window, first, first + bytes);
  if (window.counted) context.block->stored_bytes.data()[&window - context.windows] += bytes;
  if (window.written) {
    if (window.differing && any_bit(window.written, first, first + bytes) &&
        !same_bytes(window.data + first, data, bytes)) {
      mark_differing(window, first, data, bytes);
    }
    set_bits(window.written, first, first + bytes);
  }
  if (window.initialized && window.initialized != window.written) set_bits(window.initialized, first, first + bytes);
  copy_bytes(window.data + first, data, bytes);
}

// Lanes that lie anywhere in one window.
struct Scattered {
  const Window* window = nullptr;  // null: they do not, or somebody logs what they access
  u64 low = 0, offset = 0;         // the lowest address, and where in the window that is
  u64 bytes = 0;                   // from there to the end of the highest
};

template <class Known>
[[gnu::always_inline]] inline Scattered scattered(const Context& context, const Addresses& addresses, u32 bits,
                                                  u32 width, Known known) {
  const u64 some = addresses[__builtin_ctz(bits)];
  u64 low = some, high = some, all = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    const u64 address = (bits >> i) & 1u ? addresses[i] : some;
    low = address < low ? address : low;
    high = address > high ? address : high;
    all |= address;
  }
  Scattered it{nullptr, low, 0, high - low + width};
  const Window* window = window_for(context, low, it.bytes, it.offset);
  if (window && !is_logged(*window) && aligned(context, *window, all, width, known)) it.window = window;
  return it;
}

// What lanes that lie anywhere in one window load, gathered. False: they do not, or not all of it may be read; or, but
// where `claims`, somebody asks who touched it.
template <class Known>
[[gnu::noinline]] bool gather_scattered(Context& context, const Op* op, const FastAccess& access,
                                        const Addresses& addresses, u32 warp, Known known, bool claims,
                                        std::byte* gathered) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  const Scattered it = scattered(context, addresses, bits, width, known);
  if (!it.window || (it.window->watched && !claims)) return false;
  // Where the whole range will do, it is looked at once.
  const bool near = it.bytes <= 4096 && readable(context, *it.window, it.offset, it.bytes, known);
  const std::byte* data = it.window->data + it.offset;
  for (u32 rest = bits; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest));
    const u64 at = addresses[lane] - it.low;
    if (!near && !readable(context, *it.window, it.offset + at, width, known)) return false;
    if (claims) record(context, op, access, *it.window, it.offset + at, warp, lane, 1, false, false);
    switch (width) {
      case 2:
        __builtin_memcpy(gathered + lane * 2, data + at, 2);
        break;
      case 4:
        __builtin_memcpy(gathered + lane * 4, data + at, 4);
        break;
      case 8:
        __builtin_memcpy(gathered + lane * 8, data + at, 8);
        break;
      case 16:
        __builtin_memcpy(gathered + lane * 16, data + at, 16);
        break;
      default:
        __builtin_memcpy(gathered + lane * width, data + at, width);
        break;
    }
  }
  return true;
}

// Stores what lanes that lie anywhere in one window give. False: nothing was done, for they do not, or what may be
// written has to be looked at piece by piece.
[[gnu::noinline]] bool store_scattered(Context& context, const Op* op, const FastAccess& access,
                                       const Addresses& addresses, u32 warp, const std::byte* data) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  const Scattered it = scattered(context, addresses, bits, width, Unsettled());
  if (!it.window || it.window->allowed || it.window->lazy ||
      !writable(context, *it.window, it.offset, it.bytes, Unsettled()))
    return false;
  for (u32 rest = bits; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest));
    const u64 first = it.offset + (addresses[lane] - it.low);
    if (it.window->watched) record(context, op, access, *it.window, first, warp, lane, 1, true, false);
    write_range(context, *it.window, first, data + lane * width, width);
  }
  return true;
}

// More pieces than this are lanes that lie anywhere.
constexpr u32 few_pieces = 8;

alignas(64) constexpr std::byte no_bytes[lanes_per_warp * 32] = {};

// Where the lanes of a piece find what they load.
template <class Known>
[[gnu::always_inline]] inline bool find_piece(Context& context, const Op* op, const FastAccess& access, u32 warp,
                                              Known known, const Piece& piece, const std::byte*& found) {
  const u32 width = access.element_bytes * access.count;
  const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
  u64 offset = 0;
  const Window* window = window_for(context, piece.offset, bytes, offset);
  if (!window) {
    found = no_bytes;
    return settled_outside(context, piece.offset, piece.offset + bytes - width, width, known);
  }
  if (!aligned(context, *window, piece.offset, width, known) || !readable(context, *window, offset, bytes, known))
    return false;
  found = window->data + offset;
  if (window->watched)
    record(context, op, access, *window, offset, warp, piece.first, piece.lanes, false, piece.repeated);
  return true;
}

// find_rows for lanes of which no eight lie side by side.
template <class Known>
[[gnu::noinline]] bool find_rows_anywhere(Context& context, const Op* op, const FastAccess& access,
                                          const Addresses& addresses, u32 warp, Known known, std::byte* gathered,
                                          Rows& rows) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  if (all_outside(context, addresses, bits, width, known)) return rows = Rows(no_bytes, 0), true;
  Piece pieces[lanes_per_warp];
  const std::byte* data[lanes_per_warp];
  const auto gather = [&](bool claims) {
    return gather_scattered(context, op, access, addresses, warp, known, claims, gathered);
  };
  if (gather(false)) return rows = Rows(gathered, width), true;
  u32 count = cut(addresses, bits, width, pieces), found = 0;
  if (count > few_pieces && gather(true)) return rows = Rows(gathered, width), true;
  const auto find = [&] {
    for (found = 0; found < count && find_piece(context, op, access, warp, known, pieces[found], data[found]);) ++found;
    return found == count;
  };
  if (!find()) {
    if (!Known::any) return false;
    count = cut_lanes(addresses, bits, pieces);
    if (!find()) return false;
  }
  rows = rows_of(access, pieces, count, data, gathered);
  return true;
}

// Where the active lanes of a warp find what they load. False: not all of it is innocent or settled.
template <class Known>
inline bool find_rows(Context& context, const Op* op, const FastAccess& access, u32 warp, Known known,
                      std::byte* gathered, Rows& rows) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  alignas(64) u64 room[lanes_per_warp];
  const Addresses addresses = addresses_of(context, access, warp, room);
  Piece pieces[4];
  const std::byte* data[4];
  const u32 count = cut_quarters(addresses, bits, width, pieces);
  u32 found = 0;
  while (found < count && find_piece(context, op, access, warp, known, pieces[found], data[found])) ++found;
  if (count == 0 || (Known::any && found < count))
    return find_rows_anywhere(context, op, access, addresses, warp, known, gathered, rows);
  if (found < count) return false;
  rows = rows_of(access, pieces, count, data, gathered);
  return true;
}

template <class Known>
[[gnu::always_inline]] inline const Op* load_of_tensor(Context& context, const Op* op, Known known) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 group = 0;
  if (group_contiguous(context, access, width, group)) {
    u64 offset = 0;
    const u64 bytes = u64(width) * context.lane_count();
    const Window* window = window_for(context, group, bytes, offset);
    if (window && aligned(context, *window, group, width, known) && readable(context, *window, offset, bytes, known)) {
      if (window->watched) record_group(context, op, access, *window, offset, false);
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
    if (context.bits[warp] && !find_rows(context, op, access, warp, known, gathered[warp], rows[warp]))
      return stop_careful(context, op);
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp]) take_elements(context, access, warp, rows[warp]);
  }
  return op + 1;
}

// One address for all lanes, and a result that is kept once.
template <class Known>
[[gnu::always_inline]] inline const Op* load_once_of_tensor(Context& context, const Op* op, Known known) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 address = u64(access.offset);
  if (!access.absolute) address += *reinterpret_cast<const u64*>(context.registers + access.address);
  u64 offset = 0;
  const Window* window = window_for(context, address, width, offset);
  if (window &&
      (!aligned(context, *window, address, width, known) || !readable(context, *window, offset, width, known)))
    return stop_careful(context, op);
  if (!window && !settled_outside(context, address, address, width, known)) return stop_careful(context, op);
  if (window && window->watched) {
    for (u32 warp = 0; warp < context.warps; ++warp) {
      if (!context.bits[warp]) continue;
      const u32 first = u32(__builtin_ctz(context.bits[warp])), last = 31 - u32(__builtin_clz(context.bits[warp]));
      record(context, op, access, *window, offset, warp, first, last - first + 1, false, true);
    }
  }
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    const u64 value =
        window ? widened(window->data + offset + n * access.element_bytes, access.element_bytes, access.sign_extend)
               : 0;
    std::byte* to = context.registers + access.value[n];
    for (u32 i = 0; i < lanes_per_warp; ++i)
      __builtin_memcpy(to + i * access.value_bytes[n], &value, access.value_bytes[n]);
  }
  return op + 1;
}

// Stores what the lanes of pieces give. False: nothing was done, for not all of it is innocent or settled.
template <class Known>
[[gnu::always_inline]] inline bool store_pieces(Context& context, const Op* op, const FastAccess& access, u32 warp,
                                                Known known, const std::byte* data, const Piece* pieces, u32 count) {
  const u32 width = access.element_bytes * access.count;
  u64 offset = 0;
  // Looked at first, for the careful tier must find nothing done that it would do again otherwise.
  for (u32 i = 0; i < count; ++i) {
    const Piece& piece = pieces[i];
    const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
    const Window* window = window_for(context, piece.offset, bytes, offset);
    const bool may_write = window ? aligned(context, *window, piece.offset, width, known) &&
                                        writable(context, *window, offset, bytes, known)
                                  : settled_outside(context, piece.offset, piece.offset + bytes - width, width, known);
    if (!may_write) return false;
  }
  for (u32 i = 0; i < count; ++i) {
    const Piece& piece = pieces[i];
    const Window* const some = window_for(context, piece.offset, width, offset);
    if (Known::any && !some) continue;
    const Window& window = *some;
    if (window.watched)
      record(context, op, access, window, offset, warp, piece.first, piece.lanes, true, piece.repeated);
    const u32 times = piece.repeated ? piece.lanes : 1;
    const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
    for (u32 n = 0; n < times; ++n) write_range(context, window, offset, data + (piece.first + n) * width, bytes);
    if (Known::any) note_settled_store(*context.block, window, offset, bytes);
  }
  return true;
}

// The same for lanes of which no eight lie side by side.
template <class Known>
[[gnu::noinline]] bool store_anywhere(Context& context, const Op* op, const FastAccess& access,
                                      const Addresses& addresses, u32 warp, Known known, const std::byte* data) {
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  if (!Known::any && count_pieces(addresses, bits, width) > few_pieces &&
      store_scattered(context, op, access, addresses, warp, data))
    return true;
  Piece pieces[lanes_per_warp];
  const u32 count = cut(addresses, bits, width, pieces);
  if (store_pieces(context, op, access, warp, known, data, pieces, count)) return true;
  return Known::any && store_pieces(context, op, access, warp, known, data, pieces, cut_lanes(addresses, bits, pieces));
}

template <class Known>
[[gnu::always_inline]] inline const Op* store_to_tensor(Context& context, const Op* op, Known known) {
  const FastAccess& access = access_of(op);
  const u32 width = access.element_bytes * access.count;
  u64 group = 0;
  if (group_contiguous(context, access, width, group)) {
    u64 offset = 0;
    const u64 bytes = u64(width) * context.lane_count();
    const Window* window = window_for(context, group, bytes, offset);
    if (window && aligned(context, *window, group, width, known) && writable(context, *window, offset, bytes, known)) {
      if (window->watched) record_group(context, op, access, *window, offset, true);
      const bool direct =
          access.count == 1 && access.value_bytes[0] == access.element_bytes && access.value_pitch[0] != 0;
      alignas(64) std::byte staged[max_warps * lanes_per_warp * 32];
      for (u32 warp = 0; warp < context.warps && !direct; ++warp) {
        give_elements(context, access, warp, staged + warp * lanes_per_warp * width);
      }
      write_range(context, *window, offset, direct ? context.registers + access.value[0] : staged, bytes);
      if (Known::any) note_settled_store(*context.block, *window, offset, bytes);
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
    Piece pieces[4];
    const u32 count = cut_quarters(addresses, bits, width, pieces);
    if (count && store_pieces(context, op, access, warp, known, data, pieces, count)) continue;
    if ((count && !Known::any) || !store_anywhere(context, op, access, addresses, warp, known, data))
      return stop_careful(context, op);
  }
  return op + 1;
}

}  // namespace

const Op* load_global(Context& context, const Op* op) { return load_of_tensor(context, op, Unsettled()); }
const Op* load_uniform(Context& context, const Op* op) { return load_once_of_tensor(context, op, Unsettled()); }
const Op* store_global(Context& context, const Op* op) { return store_to_tensor(context, op, Unsettled()); }

const Op* load_global_settled(Context& context, const Op* op) {
  return load_of_tensor(context, op, SomeSettled{access_of(op).settled, *context.block});
}
const Op* load_uniform_settled(Context& context, const Op* op) {
  return load_once_of_tensor(context, op, SomeSettled{access_of(op).settled, *context.block});
}
const Op* store_global_settled(Context& context, const Op* op) {
  return store_to_tensor(context, op, SomeSettled{access_of(op).settled, *context.block});
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
