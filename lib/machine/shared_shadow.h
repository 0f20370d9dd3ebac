// Who touched which granule of a block's shared memory since the last barrier.
//
// Most kernels write a part of it and read it after a barrier. So the fast tier at first notes reads by chunks of 64
// bytes only: a chunk that nobody wrote since the barrier is read without a race whoever reads it. A write to a chunk
// that was read since the barrier cannot be judged then. That needs a precise rerun: the launch runs again with every
// granule's readers noted. What is written is noted by granule and by chunk at all times.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

// A word a granule for the last writer and one for the readers: (time << 12 | atomic << 11 | who). `who` is a thread's
// number plus one, or says that several lanes of one warp, or several warps, read it or made atomics on it.
struct SharedShadow {
  static constexpr u32 time_shift = 12;
  static constexpr u32 who_mask = 0x7ff, atomic_bit = 0x800;
  static constexpr u32 many_of_warp = 0x7c0;  // plus the warp
  static constexpr u32 many = 0x7ff;
  static constexpr u32 latest_time = (1u << 20) - 2;

  u32 granule = 4;  // bytes: the smallest access of the kernel to shared memory
  std::vector<u32> writer, reader;
  static constexpr u64 chunk = 64;  // bytes: those of a word of a bitmap that has a bit a byte
  // By chunk, Block::time of the last read that was noted by chunk; of the last that found all its bytes initialised;
  // of the last write.
  std::vector<u32> chunk_read, chunk_ready, chunk_written;
  std::vector<u16> writer_step, reader_step;  // low 16 bits of the step, for the location of the other side

  static u32 time_of(u32 word) { return word >> time_shift; }
  static u32 word_of(u32 time, u32 thread) { return time << time_shift | (thread + 1); }
  [[gnu::always_inline]] static u32 who_of(u32 word) { return word & who_mask; }
  // The warp that `who` says, in the low 6 bits; that of `many` is none.
  [[gnu::always_inline]] static u32 warp_of(u32 who) {
    return who >= many_of_warp ? who - many_of_warp : (who - 1) / 32;
  }

  // What follows is the policy of races in shared memory, for both tiers. Checks add what values say (checks/races.h).

  // Whether what a word notes was done by somebody else than `who` (0: nobody is left out), with no barrier of the
  // whole block since: `unordered` is the time after the last one, in place.
  [[gnu::always_inline]] static u32 is_open(u32 word, u32 unordered, u32 who) {
    return u32(word >= unordered) & u32(who_of(word) != who);
  }
  // The same where accesses that are both atomic do not race.
  [[gnu::always_inline]] static u32 is_open(u32 word, u32 unordered, u32 who, bool atomic) {
    return is_open(word, unordered, who) & u32(!(atomic && (word & atomic_bit)));
  }
  // The readers' word after `who`, of this warp, has read too; `now` is the time, in place.
  [[gnu::always_inline]] static u32 after_read(u32 before, u32 now, u32 who, u32 warp) {
    const u32 other = who_of(before);
    const u32 several = now | (warp_of(other) == warp ? many_of_warp + warp : u32(many));
    const bool is_now = before >= now && other != 0;
    return is_now ? (other == who ? before : several) : now | who;
  }
  // The writers' word after an atomic by `who`, of this warp: the atomics of others since the last barrier stay known,
  // so that whoever was the last to make one still races where it reads without a barrier.
  static u32 after_atomic(u32 before, u32 unordered, u32 now, u32 who, u32 warp) {
    const u32 other = who_of(before);
    const bool is_of_others = (before & atomic_bit) && before >= unordered && other != 0 && other != who;
    const u32 all = !is_of_others ? who : warp_of(other) == warp ? many_of_warp + warp : u32(many);
    return now | atomic_bit | all;
  }
  // Whether bytes were all written by a step (its low 16 bits) for which that holds, and nobody has read them since, or
  // somebody with no barrier of the whole block between: `full_time` is the time after the last one.
  template <class IsMeant>
  bool is_unread(u64 first, u64 bytes, u32 full_time, u32 thread, IsMeant is_meant) const {
    for (u64 g = first / granule; g <= (first + bytes - 1) / granule; ++g) {
      const u32 written = time_of(writer[g]);
      if (written == 0 || !is_meant(writer_step[g])) return false;
      const bool is_read = time_of(reader[g]) >= written || chunk_read[g * granule / chunk] >= written;
      if (is_read && !is_open(reader[g], full_time << time_shift, thread + 1)) return false;
    }
    return true;
  }
  void resize(u64 bytes, u32 granule_bytes) {
    granule = granule_bytes;
    const std::size_t n = (bytes + granule_bytes - 1) / granule_bytes;
    writer.assign(n, 0);
    reader.assign(n, 0);
    writer_step.assign(n, 0);
    reader_step.assign(n, 0);
    chunk_read.assign(bytes / chunk + 1, 0);
    chunk_ready.assign(bytes / chunk + 1, 0);
    chunk_written.assign(bytes / chunk + 1, 0);
  }
};

}  // namespace ropewalk::machine
