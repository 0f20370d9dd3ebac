// Loads, stores and matrix loads of shared memory, in the fast tier.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/handlers/lane_words.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

// What a race check of one piece of shared memory needs.
struct Words {
  u32* writer;
  u32* reader;
  u16* writer_step;
  u16* reader_step;
  u32 now;        // this barrier interval, in place
  u32 unordered;  // words from here on are not ordered before now
};

[[gnu::always_inline]] inline Words words_of(Block& block) {
  SharedShadow& shadow = block.shadow;
  return {shadow.writer.data(),
          shadow.reader.data(),
          shadow.writer_step.data(),
          shadow.reader_step.data(),
          block.time << SharedShadow::time_shift,
          block.full_time << SharedShadow::time_shift};
}

// Bytes [first, first + bytes) lie inside, and hold values (or need not, for that is settled) that nobody is still
// copying.
[[gnu::always_inline]] inline bool may_load(Block& block, u64 first, u64 bytes, const SettledAccess* settled) {
  if (first + bytes > block.shared_bytes) return false;
  if (!block.copies.empty() && any_bit(block.shared_in_flight.data(), first, first + bytes)) return false;
  if (all_bits(block.shared_initialized.data(), first, first + bytes)) return true;
  return settled && settled->unwritten && meet(block, *settled);
}

// Whether one of the warp that accesses granules [g, g + n) raced there: granule i belongs to thread
// `thread + (i >> shift)`.
[[gnu::noinline]] inline bool races_in_a_warp(const Words& words, u64 g, u32 n, u32 thread, u32 shift, bool is_write) {
  const auto is_of_warp = [&](u32 word, u32 who) {
    return SharedShadow::is_open(word, words.unordered, who) &&
           SharedShadow::warp_of(SharedShadow::who_of(word)) == SharedShadow::warp_of(who);
  };
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1;
    if (is_of_warp(words.writer[g + i], who) || (is_write && is_of_warp(words.reader[g + i], who))) return true;
  }
  return false;
}

// races: what is settled of an access that raced; null: nothing is. Where others ask whether it did so as before, it
// was a race between warps: one in a warp is another finding.
template <class IsInAWarp>
[[gnu::always_inline]] inline bool may_race(const SettledAccess* races, IsInAWarp is_in_a_warp) {
  if (!races || (races->met && is_in_a_warp())) return false;
  races->note_met();
  return true;
}

// Granules [g, g + n): granule i belongs to thread `thread + (i >> shift)`. False where another thread wrote one since
// the last barrier; else these threads have read them.
[[gnu::always_inline]] inline bool mark_read(const Words& words, u64 g, u32 n, u32 thread, u32 shift, u16 step,
                                             const SettledAccess* races = nullptr) {
  const u32* writer = words.writer + g;
  u32* reader = words.reader + g;
  u32 bad = 0;
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1;
    bad |= SharedShadow::is_open(writer[i], words.unordered, who);
  }
  if (bad && !may_race(races, [&] { return races_in_a_warp(words, g, n, thread, shift, false); })) return false;
  const u32 warp = thread / lanes_per_warp;
#pragma GCC ivdep
  for (u32 i = 0; i < n; ++i) {
    reader[i] = SharedShadow::after_read(reader[i], words.now, thread + (i >> shift) + 1, warp);
    words.reader_step[g + i] = step;
  }
  return true;
}

// All lanes of a warp read the same granules.
[[gnu::always_inline]] inline bool mark_read_by_warp(const Words& words, u64 g, u32 n, u32 warp, u16 step,
                                                     const SettledAccess* races) {
  for (u64 i = g; i < g + n; ++i) {
    const auto is_in_this = [&] { return SharedShadow::warp_of(SharedShadow::who_of(words.writer[i])) == warp; };
    if (SharedShadow::is_open(words.writer[i], words.unordered, 0) && !may_race(races, is_in_this)) return false;
    words.reader[i] = SharedShadow::after_read(words.reader[i], words.now, SharedShadow::many_of_warp + warp, warp);
    words.reader_step[i] = step;
  }
  return true;
}

[[gnu::always_inline]] inline bool mark_write(const Words& words, u64 g, u32 n, u32 thread, u32 shift, u16 step,
                                              const SettledAccess* races) {
  u32* writer = words.writer + g;
  const u32* reader = words.reader + g;
  u32 bad = 0;
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1;
    bad |= SharedShadow::is_open(writer[i], words.unordered, who);
    bad |= SharedShadow::is_open(reader[i], words.unordered, who);
  }
  if (bad && !may_race(races, [&] { return races_in_a_warp(words, g, n, thread, shift, true); })) return false;
#pragma GCC ivdep
  for (u32 i = 0; i < n; ++i) {
    writer[i] = words.now | (thread + (i >> shift) + 1);
    words.writer_step[g + i] = step;
  }
  return true;
}

[[gnu::always_inline]] inline u32 log2_of(u32 power) { return u32(__builtin_ctz(power)); }

// The chunk is read by whoever it may be. False: one was written since the last barrier.
[[gnu::always_inline]] inline bool note_read_by_chunk(Block& block, u64 chunk) {
  if (block.shadow.chunk_written.data()[chunk] >= block.full_time) return false;
  block.read_by_chunk = true;
  block.shadow.chunk_read.data()[chunk] = block.time;
  if (block.shared_initialized.data()[chunk] == ~u64(0)) block.shadow.chunk_ready.data()[chunk] = block.time;
  return true;
}

// Looks at what the lanes of a warp load by chunks of 64 bytes. False: there is more to look at. All offsets lie in
// shared memory.
[[gnu::always_inline]] inline bool prove_by_chunk(Block& block, const u32* offsets, u32 width,
                                                  const SettledAccess* settled) {
  static_assert(SharedShadow::chunk == 64);
  const u32 wanted = u32(bit_range(0, width));
  if (!block.copies.empty()) {
    const u32* const in_flight = reinterpret_cast<const u32*>(block.shared_in_flight.data());
    u32 flying = 0;
    for (u32 i = 0; i < lanes_per_warp; ++i) flying |= in_flight[offsets[i] >> 5] >> (offsets[i] & 31);
    if (flying & wanted) return false;
  }
  // Lanes whose chunk is not known to be ready: few, where padding that nobody writes keeps some from ever being so.
  const u32* const ready = block.shadow.chunk_ready.data();
  const u32* const read = block.shadow.chunk_read.data();
  const u32 now = block.time;
  u8 open[lanes_per_warp];
  u32 count = 0;
#pragma GCC unroll 8
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    open[count] = u8(i);
    count += ready[offsets[i] >> 6] != now;
  }
  const u64* const initialized = block.shared_initialized.data();
  for (u32 i = 0; i < count; ++i) {
    const u64 at = u64(offsets[open[i]]), c = at >> 6;
    if ((initialized[c] >> (at & 63) & wanted) != wanted) {
      if (!settled || !settled->unwritten) return false;
      meet(block, *settled);
    }
    if (read[c] != now && !note_read_by_chunk(block, c)) return false;
  }
  return true;
}

template <class Element>
[[gnu::always_inline]] inline void gather(const std::byte* from, const u32* offsets, std::byte* to) {
  Element elements[lanes_per_warp];
  for (u32 i = 0; i < lanes_per_warp; ++i) __builtin_memcpy(&elements[i], from + offsets[i], sizeof(Element));
  copy_row<sizeof elements>(to, elements);
}

// The same for lanes side by side, or all at one address.
[[gnu::always_inline]] inline bool prove_range_by_chunk(Block& block, const OwnPart& part, u64 first, u64 bytes,
                                                        const SettledAccess* settled) {
  if (!part.holds(first, bytes)) return false;
  const u64 low = first / SharedShadow::chunk, high = (first + bytes - 1) / SharedShadow::chunk;
  const u32* const ready = block.shadow.chunk_ready.data();
  u32 other = block.copies.empty() ? 0 : 1;
  for (u64 c = low; c <= high; ++c) other |= ready[c] ^ block.time;
  if (other == 0) return true;
  if (!may_load(block, first, bytes, settled)) return false;
  for (u64 c = low; c <= high; ++c) {
    if (!note_read_by_chunk(block, c)) return false;
  }
  return true;
}

// The offsets of a warp's lanes in shared memory; those of lanes that are not active are one that is. False: some
// address has more than 31 bits.
[[gnu::always_inline]] inline bool load_offsets(const Context& context, const FastAccess& access, u32 warp, u32 bits,
                                                u32* offsets) {
  if (!access.narrow || access.absolute) {
    alignas(64) u64 addresses[lanes_per_warp];
    load_addresses(context, access, warp, addresses);
    u64 all = 0;
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      all |= (bits >> i) & 1u ? addresses[i] : 0;
      offsets[i] = u32(addresses[i]);
    }
    if (all >> 31) return false;
  } else {
    const u32* addresses =
        reinterpret_cast<const u32*>(context.registers + access.address + warp * access.address_pitch);
    for (u32 i = 0; i < lanes_per_warp; ++i) offsets[i] = addresses[i] + u32(access.offset);
  }
  if (bits != 0xffffffffu) {
    const u32 some = offsets[__builtin_ctz(bits)];
    for (u32 i = 0; i < lanes_per_warp; ++i) offsets[i] = (bits >> i) & 1u ? offsets[i] : some;
  }
  return true;
}

// Finds what a warp loads by chunks. False: it takes a closer look.
[[gnu::always_inline]] inline bool find_by_chunk(Block& block, const OwnPart& part, const u32* offsets, u32 width,
                                                 const SettledAccess* settled, std::byte* gathered, Rows& rows) {
  const std::byte* const shared = block.shared.data();
  const u32 some = offsets[0];
  const u32 step = offsets[1] - some;
  if (step == 0 || step == width) {
    // Most likely all lanes read one address, or addresses side by side.
    if (!any_set(LaneWords::load(offsets).apart(LaneWords::ramp(step), some))) {
      rows = Rows(shared + some, step);
      return is_aligned(some, width) &&
             prove_range_by_chunk(block, part, some, step ? u64(lanes_per_warp) * width : width, settled);
    }
  }
  u32 highest = 0, all = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    const u32 at = offsets[i];
    const u32 within = at - u32(part.first);
    highest = within > highest ? within : highest;
    all |= at;
  }
  if (!part.holds(part.first + highest, width) || !is_aligned(all, width)) return false;
  if (!prove_by_chunk(block, offsets, width, settled)) return false;
  switch (width) {
    case 4:
      gather<u32>(shared, offsets, gathered);
      break;
    case 8:
      gather<u64>(shared, offsets, gathered);
      break;
    default:
      for (u32 i = 0; i < lanes_per_warp; ++i) __builtin_memcpy(gathered + i * width, shared + offsets[i], width);
      break;
  }
  rows = Rows(gathered, width);
  return true;
}

alignas(64) constexpr std::byte nothing[32] = {};  // what a load outside gives

// Cuts what a warp accesses into pieces. Where it is settled that some is outside of shared memory, a piece is wholly
// outside, and then one address stands for all its lanes, or wholly inside.
template <bool is_settled>
inline u32 cut_at_end(const FastAccess& access, const OwnPart& part, const u64* addresses, u32 bits, Piece* pieces) {
  const u32 width = access.element_bytes * access.count;
  const u32 count = cut({addresses, 0}, bits, width, pieces);
  if (!is_settled || !access.settled.outside_shared) return count;
  for (u32 i = 0; i < count; ++i) {
    const u64 bytes = pieces[i].repeated ? width : u64(pieces[i].lanes) * width;
    if (part.holds(pieces[i].offset, bytes)) continue;
    const bool is_past = pieces[i].offset >= part.first + part.bytes && pieces[i].offset + bytes > pieces[i].offset;
    if (!is_past) return cut_lanes({addresses, 0}, bits, pieces);
    pieces[i].repeated = true;
  }
  return count;
}

// Finds what a warp loads, lane by lane where need be, and notes who reads each granule. False: not all is innocent or
// settled.
template <bool is_settled>
inline bool find_by_granule(const Context& context, const Op* op, const FastAccess& access, const OwnPart& part,
                            u32 warp, const u64* addresses, std::byte* gathered, Rows& rows) {
  Block& block = *context.block;
  const u32 bits = context.bits[warp], width = access.element_bytes * access.count;
  const u32 granule = log2_of(block.shadow.granule);
  const Words words = words_of(block);
  const SettledAccess* const settled = is_settled ? &access.settled : nullptr;
  const SettledAccess* const races = is_settled && access.settled.races ? settled : nullptr;
  Piece pieces[lanes_per_warp];
  const std::byte* data[lanes_per_warp];
  const u32 count = cut_at_end<is_settled>(access, part, addresses, bits, pieces);
  for (u32 i = 0; i < count; ++i) {
    const Piece& piece = pieces[i];
    const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
    if (!is_aligned(piece.offset, width)) return false;
    if (!part.holds(piece.offset, bytes)) {
      if (!is_settled || !access.settled.outside_shared) return false;
      meet(block, access.settled);
      data[i] = nothing;
      continue;
    }
    if (!may_load(block, piece.offset, bytes, settled)) return false;
    data[i] = block.shared.data() + piece.offset;
    if (!access.races) continue;
    const u32 thread = context.first_thread + warp * lanes_per_warp + piece.first;
    const u64 g = piece.offset >> granule;
    const u32 n = u32(bytes >> granule);
    const bool ok = piece.repeated ? mark_read_by_warp(words, g, n, thread / lanes_per_warp, u16(op->step), races)
                                   : mark_read(words, g, n, thread, log2_of(width) - granule, u16(op->step), races);
    if (!ok) return false;
  }
  rows = rows_of(access, pieces, count, data, gathered);
  return true;
}

template <bool is_settled>
[[gnu::always_inline]] inline const Op* load_of_shared(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
  const u32 width = access.element_bytes * access.count;
  const OwnPart part(block.shared_bytes, access.first_byte, access.last_byte);
  const SettledAccess* const settled = is_settled ? &access.settled : nullptr;
  // All warps are looked at before a register is written: the careful tier must find them as they were.
  Rows rows[max_warps] = {{nullptr, 0}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
  alignas(64) std::byte gathered[max_warps][lanes_per_warp * 32];
  alignas(64) u32 offsets[2][lanes_per_warp];
  u32 before = max_warps;  // the last warp whose loads were proven by chunks: the next one often loads the same
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    if (block.reads_by_chunk) {
      u32* const of_warp = offsets[warp % 2];
      if (load_offsets(context, access, warp, bits, of_warp)) {
        if (before + 1 == warp && LaneWords::load(offsets[0]) == LaneWords::load(offsets[1])) {
          rows[warp] = rows[before];
          before = warp;
          continue;
        }
        if (find_by_chunk(block, part, of_warp, width, settled, gathered[warp], rows[warp])) {
          before = warp;
          continue;
        }
      }
    }
    alignas(64) u64 addresses[lanes_per_warp];
    load_addresses(context, access, warp, addresses);
    if (!find_by_granule<is_settled>(context, op, access, part, warp, addresses, gathered[warp], rows[warp])) {
      return stop_careful(context, op);
    }
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp]) take_elements(context, access, warp, rows[warp]);
  }
  return op + 1;
}

template <bool is_settled>
[[gnu::always_inline]] inline const Op* store_to_shared(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
  const OwnPart part(block.shared_bytes, access.first_byte, access.last_byte);
  const u32 width = access.element_bytes * access.count;
  const u32 granule = log2_of(block.shadow.granule);
  const Words words = words_of(block);
  const SettledAccess* const races = is_settled && access.settled.races ? &access.settled : nullptr;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    alignas(64) u64 addresses[lanes_per_warp];
    alignas(64) std::byte data[lanes_per_warp * 32];
    load_addresses(context, access, warp, addresses);
    give_elements(context, access, warp, data);
    Piece pieces[lanes_per_warp];
    u32 count = cut_at_end<is_settled>(access, part, addresses, bits, pieces);
    if (races && pieces[0].repeated) count = cut_lanes({addresses, 0}, bits, pieces);
    for (u32 i = 0; i < count; ++i) {
      const Piece& piece = pieces[i];
      const u64 bytes = u64(piece.lanes) * width;
      if (is_settled && access.settled.outside_shared && !part.holds(piece.offset, width)) {
        meet(block, access.settled);
        continue;
      }
      // Several lanes at one address, or bytes that a copy or a finding still claims: not for this tier.
      if (piece.repeated || !part.holds(piece.offset, bytes) || !is_aligned(piece.offset, width) ||
          !block.copies.empty() || any_bit(block.shared_poisoned.data(), piece.offset, piece.offset + bytes)) {
        return stop_careful(context, op);
      }
      const u32 thread = context.first_thread + warp * lanes_per_warp + piece.first;
      if (access.races && !mark_write(words, piece.offset >> granule, u32(bytes >> granule), thread,
                                      log2_of(width) - granule, u16(op->step), races)) {
        return stop_careful(context, op);
      }
      if (!block.note_shared_write(piece.offset, bytes)) return stop_careful(context, op);
      set_bits(block.shared_initialized.data(), piece.offset, piece.offset + bytes);
      __builtin_memcpy(block.shared.data() + piece.offset, data + piece.first * width, bytes);
    }
  }
  return op + 1;
}

}  // namespace

const Op* load_shared(Context& context, const Op* op) { return load_of_shared<false>(context, op); }
const Op* store_shared(Context& context, const Op* op) { return store_to_shared<false>(context, op); }
const Op* load_shared_settled(Context& context, const Op* op) { return load_of_shared<true>(context, op); }
const Op* store_shared_settled(Context& context, const Op* op) { return store_to_shared<true>(context, op); }

// Lane l gives the row l % 8 of matrix l / 8 (see careful::load_matrix for the layout of the result).
const Op* load_matrix(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
  const OwnPart part(block.shared_bytes, access.first_byte, access.last_byte);
  const u32 granule = log2_of(block.shadow.granule);
  const Words words = words_of(block);
  u64 offsets[max_warps][lanes_per_warp];
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    if (context.bits[warp] != 0xffffffffu) return stop_careful(context, op);
    load_addresses(context, access, warp, offsets[warp]);
    for (u32 lane = 0; lane < 8u * access.count; ++lane) {
      u64& offset = offsets[warp][lane];
      if (access.space == MemorySpace::Generic) offset -= generic_base(shared_window);
      if (!part.holds(offset, 16) || offset % 16 != 0 || !may_load(block, offset, 16, nullptr))
        return stop_careful(context, op);
      if (block.reads_by_chunk && prove_range_by_chunk(block, part, offset, 16, nullptr)) continue;
      const u32 thread = context.first_thread + warp * lanes_per_warp + lane;
      if (access.races && !mark_read(words, offset >> granule, 16u >> granule, thread, 31, u16(op->step))) {
        return stop_careful(context, op);
      }
    }
  }
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    for (u32 matrix = 0; matrix < access.count; ++matrix) {
      alignas(64) u16 rows[8][8];
      for (u32 row = 0; row < 8; ++row) {
        __builtin_memcpy(rows[row], block.shared.data() + offsets[warp][matrix * 8 + row], 16);
      }
      u32* to = reinterpret_cast<u32*>(context.registers + access.value[matrix] + warp * access.value_pitch[matrix]);
      if (op->immediate) {
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          const u32 row = lane / 4, column = lane % 4 * 2;
          to[lane] = u32(rows[column][row]) | u32(rows[column + 1][row]) << 16;
        }
      } else {
        copy_row<sizeof rows>(to, rows);  // the pairs lie in the order of the lanes
      }
    }
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
