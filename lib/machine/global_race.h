// Races in global memory: two accesses of any two threads of a launch, one of them a write, not both atomic, and not
// ordered by a barrier that both pass.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "lib/machine/access_log.h"

namespace ropewalk::machine {

class Collector;
struct Block;
struct LaunchState;

// Bytes of a window that one instruction of one block read, wrote or changed atomically, in one piece.
struct TouchedRange {
  u64 first = 0, last = 0;  // [first, last)
  u64 block = 0;
  u32 step = 0;
  u32 thread = 0;  // of the first byte
  u32 width = 0;   // bytes of a thread, each thread's after those of the one before it; 0: all are this thread's
  bool write = false, atomic = false;

  u32 thread_at(u64 byte) const { return width ? thread + u32((byte - first) / width) : thread; }
};

class GlobalRaces {
 public:
  // Looks for races between the threads of a block that has ended, and keeps what it touched.
  void add_block(Block& block, Collector& collector, const LaunchState& launch);
  void merge(GlobalRaces&& other);
  // Looks for races between blocks, when all have run.
  void finish(Collector& collector, const LaunchState& launch);
  // Looks for races between the blocks that have run so far, window by window. Where is_settled(window, found) holds,
  // they are reported, and the window is forgotten; else nothing is.
  void settle(Collector& collector, const LaunchState& launch,
              const std::function<bool(u32 window, const Collector& found)>& is_settled);

 private:
  static void finish(u32 window, std::vector<TouchedRange>& ranges, Collector& collector, const LaunchState& launch);

  std::map<u32, std::vector<TouchedRange>> ranges_;  // by window; regions of a tensor count as the whole
};

}  // namespace ropewalk::machine
