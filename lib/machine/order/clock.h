// What a thread knows to have happened: a vector clock over threads, kept by block, warp and thread, because barriers
// order whole blocks and warps at once.
//
// Each block counts its own time. A thread stamps its accesses with the time at which it last published what it did (a
// release, an arrival at a barrier); after that it takes a new time. So "thread t up to time n" is everything that t
// did before it published at n. The three levels are those of "BARRACUDA: Binary-level Analysis of Runtime RAces in
// CUDA programs" (A. Eizenberg et al., PLDI 2017): most threads of a block know the same.
#pragma once
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine::order {

class Clock {
 public:
  // Everything that the threads of a block, the lanes of a warp of it, or one thread did up to a time of the block.
  void add_block(u64 block, u32 time) { raise(blocks_, block, time); }
  void add_warp(u64 block, u32 warp, u32 time) { raise(warps_, block << 5 | warp, time); }
  void add_thread(u64 block, u32 thread, u32 time) { raise(threads_, block << 10 | thread, time); }

  bool covers(u64 block, u32 thread, u32 time) const {
    return time_of(blocks_, block) >= time || time_of(warps_, block << 5 | thread / 32) >= time ||
           time_of(threads_, block << 10 | thread) >= time;
  }
  void join(const Clock& other);
  void clear();
  bool empty() const { return blocks_.empty() && warps_.empty() && threads_.empty(); }

 private:
  using Times = std::vector<std::pair<u64, u32>>;  // by number, in order
  static void raise(Times& times, u64 key, u32 time);
  static u32 time_of(const Times& times, u64 key);
  static void join(Times& times, const Times& other);

  Times blocks_, warps_, threads_;
};

}  // namespace ropewalk::machine::order
