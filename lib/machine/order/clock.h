// What a thread knows to have happened: a vector clock over threads, kept by block, warp and thread, because barriers
// order whole blocks and warps at once.
//
// Each block counts its own time. A thread stamps its accesses with the time at which it last published what it did (a
// release, an arrival at a barrier); after that it takes a new time. So "thread t up to time n" is everything that t
// did before it published at n. The three levels are those of "BARRACUDA: Binary-level Analysis of Runtime RAces in
// CUDA programs" (A. Eizenberg et al., PLDI 2017): most threads of a block know the same.
//
// What is known of blocks whose numbers are near is one piece, which clocks share: in a scan with look-back thousands
// of clocks know the same of the first blocks.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine::order {

class Clock {
 public:
  // Everything that the threads of a block, the lanes of a warp of it, or one thread did up to a time of the block.
  void add_block(u64 block, u32 time) { raise(block, &Piece::blocks, block, time); }
  void add_warp(u64 block, u32 warp, u32 time) { raise(block, &Piece::warps, block << 5 | warp, time); }
  void add_thread(u64 block, u32 thread, u32 time) { raise(block, &Piece::threads, block << 10 | thread, time); }

  bool covers(u64 block, u32 thread, u32 time) const;
  void join(const Clock& other);
  // Says it of whole warps where it says the same of each of their lanes. The block has so many threads.
  void gather(u64 block, u32 thread_count);
  void clear() { pieces_.clear(); }
  bool empty() const { return pieces_.empty(); }
  // Whether each piece of the other is one of these. False says nothing: they may say the same.
  bool shares_all_of(const Clock& other) const;

 private:
  using Times = std::vector<std::pair<u64, u32>>;  // by number, in order
  // A piece's position in a line of pieces, each of which was made of the one before by adding to it: a later one says
  // all that an earlier one does.
  struct Growth {
    std::shared_ptr<u64> last = std::make_shared<u64>(0);  // the number of the line's last piece
    u64 number = 0;
    // That of a piece that is made of this one's.
    Growth next() const { return number == *last ? Growth{last, ++*last} : Growth{}; }
    bool includes(const Growth& other) const { return last == other.last && number >= other.number; }
    bool operator==(const Growth&) const { return true; }  // it says nothing of what happened
  };
  struct Piece {
    Times blocks, warps, threads;
    Growth growth;
    // Whether what it says of a block or warp says this, too.
    bool has_warp_by_block(const std::pair<u64, u32>& warp) const;
    bool has_thread_by_more(const std::pair<u64, u32>& thread) const;
    void drop_known();
    bool operator==(const Piece&) const = default;
  };
  struct Entry {
    u64 number = 0;  // of the piece: of its blocks, without their last bits
    std::shared_ptr<const Piece> piece;
  };
  void raise(u64 block, Times Piece::*times, u64 key, u32 time);
  static std::shared_ptr<const Piece> joined(const std::shared_ptr<const Piece>& a,
                                             const std::shared_ptr<const Piece>& b);

  std::vector<Entry> pieces_;  // by number, in order
};

using SharedClock = std::shared_ptr<const Clock>;  // null: nothing is known
SharedClock joined(const SharedClock& a, const SharedClock& b);
SharedClock joined(const SharedClock& a, const Clock& b);

}  // namespace ropewalk::machine::order
