// What a block did to memory that other blocks or threads may touch: one record for each access of a warp, so that
// recording is cheap; overlaps are looked for when the block and the launch have ended.
#pragma once
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::machine {

struct AccessRecord {
  u32 window = 0;
  u32 step = 0;
  u64 first = 0;   // byte offset of the first lane's access in its window
  u32 bytes = 0;   // from the first lane's first byte to the last lane's last: lanes are contiguous
  u16 width = 0;   // of one lane's access
  u16 lanes = 1;   // lanes in this record
  u16 thread = 0;  // number of the first lane within the block
  bool write = false, atomic = false;
  bool noncoherent = false;  // by ld.global.nc
  u32 order = 0;             // among the records of the block, from 0 on (GlobalRaces)
  u32 time = 0;              // Block::time at the access
  bool repeated = false;     // all lanes touch the same bytes: `bytes` is `width`
  u32 together = ~0u;        // lanes of the warp that came to it, a bit each
  // Of the read of a cp.async, which may come at any time until it has been waited for: how many records the block had
  // then, and Block::time. 0: it is another access.
  u32 until = 0, until_time = 0;
  static constexpr u32 never = ~u32(0);
};

// Records in the order of the accesses. Appending is all that happens while a block runs, so it is kept short; storage
// only grows.
class AccessLog {
 public:
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  AccessRecord& operator[](std::size_t n) { return at_[n]; }
  AccessRecord& back() { return at_[count_ - 1]; }
  AccessRecord* begin() { return at_; }
  AccessRecord* end() { return at_ + count_; }
  // Room for the next record.
  AccessRecord& append() {
    if (count_ == room_) grow();
    return at_[count_++];
  }
  void cut(AccessRecord* end) { count_ = std::size_t(end - at_); }

 private:
  void grow();

  AccessRecord* at_ = nullptr;  // storage_.data()
  std::size_t count_ = 0, room_ = 0;
  std::vector<AccessRecord> storage_;
};

}  // namespace ropewalk::machine
