// Who touched which granule of a block's shared memory since the last barrier.
//
// Most kernels write a part of it and read it after a barrier. So the fast tier at first notes reads by chunks of 64 bytes
// only: a chunk that nobody wrote since the barrier is read without a race whoever reads it. A write to a chunk that was
// read since the barrier cannot be judged then: that is a dispute, and the launch runs again with every granule's readers
// noted. What is written is noted by granule and by chunk at all times.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

// A word a granule for the last writer and one for the readers: (time << 12 | atomic << 11 | who). `who` is a thread's
// number plus one, or says that several lanes of one warp, or several warps, read it.
struct SharedShadow {
  static constexpr u32 time_shift = 12;
  static constexpr u32 who_mask = 0x7ff, atomic_bit = 0x800;
  static constexpr u32 many_of_warp = 0x7c0;  // plus the warp
  static constexpr u32 many = 0x7ff;
  static constexpr u32 latest_time = (1u << 20) - 2;

  u32 granule = 4;  // bytes: the smallest access of the kernel to shared memory
  std::vector<u32> writer, reader;
  static constexpr u64 chunk = 64;  // bytes: those of a word of a bitmap that has a bit a byte
  // By chunk, Block::time of the last read that was noted by chunk; of the last that found all its bytes initialised; of
  // the last write.
  std::vector<u32> chunk_read, chunk_ready, chunk_written;
  std::vector<u16> writer_step, reader_step;  // low 16 bits of the step, for the other side's place

  static u32 who_of(u32 word) { return word & who_mask; }
  static u32 time_of(u32 word) { return word >> time_shift; }
  static u32 word_of(u32 time, u32 thread) { return time << time_shift | (thread + 1); }
  // Whether the word names somebody else than `thread`.
  static bool is_other(u32 word, u32 thread) { return who_of(word) != thread + 1; }
  // The warp that the word names; 0xffffffff: several.
  static u32 warp_of(u32 word) {
    const u32 who = who_of(word);
    if (who == many) return 0xffffffffu;
    return who >= many_of_warp ? who - many_of_warp : (who - 1) / 32;
  }
  // The reader word after `thread` has read too.
  static u32 add_reader(u32 word, u32 time, u32 thread) {
    if (time_of(word) != time || who_of(word) == 0) return word_of(time, thread);
    if (!is_other(word, thread)) return word;
    return time << time_shift | (warp_of(word) == thread / 32 ? many_of_warp + thread / 32 : many);
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
