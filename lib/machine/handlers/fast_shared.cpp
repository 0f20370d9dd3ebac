// Loads, stores and matrix loads of shared memory, in the fast tier.
#include "lib/machine/handlers/fast_lanes.h"
#include "lib/machine/handlers/fast_memory.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

// What a race check of one piece of shared memory needs.
struct Words {
  u32* writer;
  u32* reader;
  u16* writer_step;
  u16* reader_step;
  u32 now;       // this barrier interval, in place
  u32 unordered; // words from here on are not ordered before now
};

[[gnu::always_inline]] inline Words words_of(Block& block) {
  SharedShadow& shadow = block.shadow;
  return {shadow.writer.data(), shadow.reader.data(), shadow.writer_step.data(), shadow.reader_step.data(),
          block.time << SharedShadow::time_shift, block.full_time << SharedShadow::time_shift};
}

// Bytes [first, first + bytes) lie inside, and hold values nobody is still copying.
[[gnu::always_inline]] inline bool holds_values(const Block& block, u64 first, u64 bytes) {
  if (first + bytes > block.shared_bytes || !all_bits(block.shared_initialized.data(), first, first + bytes)) return false;
  return block.copies.empty() || !any_bit(block.shared_in_flight.data(), first, first + bytes);
}

// Granules [g, g + n): granule i belongs to thread `thread + (i >> shift)`. False where another thread wrote one since
// the last barrier; else these threads have read them.
[[gnu::always_inline]] inline bool mark_read(const Words& words, u64 g, u32 n, u32 thread, u32 shift, u16 step) {
  const u32* writer = words.writer + g;
  u32* reader = words.reader + g;
  u32 bad = 0;
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1;
    bad |= u32(writer[i] >= words.unordered) & u32((writer[i] & SharedShadow::who_mask) != who);
  }
  if (bad) return false;
  const u32 warp = thread / lanes_per_warp;
#pragma GCC ivdep
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1, before = reader[i], other = before & SharedShadow::who_mask;
    const u32 other_warp = other >= SharedShadow::many_of_warp ? other - SharedShadow::many_of_warp : (other - 1) / 32;
    const u32 several = words.now | (other_warp == warp ? SharedShadow::many_of_warp + warp : u32(SharedShadow::many));
    const u32 alone = words.now | who;
    const bool is_now = before >= words.now && other != 0;
    reader[i] = is_now ? (other == who ? before : several) : alone;
    words.reader_step[g + i] = step;
  }
  return true;
}

// All lanes of a warp read the same granules.
[[gnu::always_inline]] inline bool mark_read_by_warp(const Words& words, u64 g, u32 n, u32 warp, u16 step) {
  for (u64 i = g; i < g + n; ++i) {
    if (words.writer[i] >= words.unordered) return false;
    const u32 before = words.reader[i], other = before & SharedShadow::who_mask;
    const bool is_now = before >= words.now && other != 0;
    const u32 other_warp = other >= SharedShadow::many_of_warp ? other - SharedShadow::many_of_warp : (other - 1) / 32;
    words.reader[i] = words.now | (is_now && other_warp != warp ? u32(SharedShadow::many) : SharedShadow::many_of_warp + warp);
    words.reader_step[i] = step;
  }
  return true;
}

[[gnu::always_inline]] inline bool mark_write(const Words& words, u64 g, u32 n, u32 thread, u32 shift, u16 step) {
  u32* writer = words.writer + g;
  const u32* reader = words.reader + g;
  u32 bad = 0;
  for (u32 i = 0; i < n; ++i) {
    const u32 who = thread + (i >> shift) + 1;
    bad |= u32(writer[i] >= words.unordered) & u32((writer[i] & SharedShadow::who_mask) != who);
    bad |= u32(reader[i] >= words.unordered) & u32((reader[i] & SharedShadow::who_mask) != who);
  }
  if (bad) return false;
#pragma GCC ivdep
  for (u32 i = 0; i < n; ++i) {
    writer[i] = words.now | (thread + (i >> shift) + 1);
    words.writer_step[g + i] = step;
  }
  return true;
}

u32 log2_of(u32 power) { return u32(__builtin_ctz(power)); }

}  // namespace

const Op* load_shared(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
  const u32 width = access.element_bytes * access.count;
  const u32 granule = log2_of(block.shadow.granule);
  const Words words = words_of(block);
  Piece pieces[max_warps][lanes_per_warp];
  u32 counts[max_warps] = {};
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    alignas(64) u64 addresses[lanes_per_warp];
    load_addresses(context, access, warp, addresses);
    counts[warp] = cut(addresses, bits, width, pieces[warp]);
    for (u32 i = 0; i < counts[warp]; ++i) {
      const Piece& piece = pieces[warp][i];
      const u64 bytes = piece.repeated ? width : u64(piece.lanes) * width;
      if (piece.offset > block.shared_bytes || piece.offset % width != 0 || !holds_values(block, piece.offset, bytes)) {
        return stop_careful(context, op);
      }
      if (!access.races) continue;
      const u32 thread = context.first_thread + warp * lanes_per_warp + piece.first;
      const u64 g = piece.offset >> granule;
      const u32 n = u32(bytes >> granule);
      const bool ok = piece.repeated ? mark_read_by_warp(words, g, n, thread / lanes_per_warp, u16(op->step))
                                     : mark_read(words, g, n, thread, log2_of(width) - granule, u16(op->step));
      if (!ok) return stop_careful(context, op);
    }
  }
  const std::byte* shared = block.shared.data();
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (counts[warp] == 0) continue;
    const std::byte* data[lanes_per_warp];
    for (u32 i = 0; i < counts[warp]; ++i) data[i] = shared + pieces[warp][i].offset;
    alignas(64) std::byte gathered[lanes_per_warp * 32];
    take_elements(context, access, warp, rows_of(access, pieces[warp], counts[warp], data, gathered));
  }
  return op + 1;
}

const Op* store_shared(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
  const u32 width = access.element_bytes * access.count;
  const u32 granule = log2_of(block.shadow.granule);
  const Words words = words_of(block);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    alignas(64) u64 addresses[lanes_per_warp];
    alignas(64) std::byte data[lanes_per_warp * 32];
    load_addresses(context, access, warp, addresses);
    give_elements(context, access, warp, data);
    Piece pieces[lanes_per_warp];
    const u32 count = cut(addresses, bits, width, pieces);
    for (u32 i = 0; i < count; ++i) {
      const Piece& piece = pieces[i];
      const u64 bytes = u64(piece.lanes) * width;
      // Several lanes at one place, or bytes that a copy or a finding still claims: not for this tier.
      if (piece.repeated || piece.offset > block.shared_bytes || piece.offset + bytes > block.shared_bytes ||
          piece.offset % width != 0 || !block.copies.empty() ||
          any_bit(block.shared_poisoned.data(), piece.offset, piece.offset + bytes)) {
        return stop_careful(context, op);
      }
      const u32 thread = context.first_thread + warp * lanes_per_warp + piece.first;
      if (access.races && !mark_write(words, piece.offset >> granule, u32(bytes >> granule), thread,
                                      log2_of(width) - granule, u16(op->step))) {
        return stop_careful(context, op);
      }
      set_bits(block.shared_initialized.data(), piece.offset, piece.offset + bytes);
      __builtin_memcpy(block.shared.data() + piece.offset, data + piece.first * width, bytes);
    }
  }
  return op + 1;
}

// Lane l gives the row l % 8 of matrix l / 8 (see careful::load_matrix for the layout of the result).
const Op* load_matrix(Context& context, const Op* op) {
  const FastAccess& access = access_of(op);
  Block& block = *context.block;
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
      if (offset > block.shared_bytes || offset % 16 != 0 || !holds_values(block, offset, 16)) return stop_careful(context, op);
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
        __builtin_memcpy(to, rows, sizeof rows);  // the pairs lie in the order of the lanes
      }
    }
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
