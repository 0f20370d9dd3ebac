// A set of bytes of an allocation, in little space for what kernels and copies touch: ranges, rows, and every n-th
// element.
#pragma once
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::driver {

struct ByteRange {
  u64 first = 0, last = 0;  // half-open
};

class ByteSet {
 public:
  ByteSet() = default;
  ByteSet(u64 first, u64 last) { add(first, last); }
  // Of a bitmap, a bit a byte; null: none is set.
  static ByteSet of_bits(const u64* words, u64 bytes);

  bool empty() const { return runs_.empty(); }
  // No byte of it may lie before the 64 bytes in which the last one lies that was added.
  void add(u64 first, u64 last);
  bool has_all(const ByteSet& other) const;
  // From the first to the last byte that is in both; none: there is none.
  std::optional<ByteRange> overlap(const ByteSet& other) const;
  ByteSet united(const ByteSet& other) const;
  // Whether body(first, last) is true for one of the ranges of its bytes among [first, last), ascending.
  template <class Body>
  bool any_range(u64 first, u64 last, Body body) const {
    for (const Run& run : runs_) {
      const u64 end = std::min(run.end(), (last + 63) / 64);
      for (u64 word = std::max(run.first, first / 64); word < end; ++word) {
        for (u64 bits = run.bits; bits;) {
          const u64 from = word * 64 + u64(std::countr_zero(bits));
          const u64 count = u64(std::countr_one(bits >> (from % 64)));
          bits &= from % 64 + count == 64 ? 0 : ~u64(0) << (from % 64 + count);
          const u64 begin = std::max(from, first), until = std::min(from + count, last);
          if (begin < until && body(begin, until)) return true;
        }
      }
    }
    return false;
  }

 private:
  // Words of 64 bytes side by side, of each of which the same bytes are in it.
  struct Run {
    u64 first = 0, count = 0;  // words
    u64 bits = 0;
    u64 end() const { return first + count; }
  };
  void add_words(u64 first, u64 count, u64 bits);

  std::vector<Run> runs_;  // sorted
};

}  // namespace ropewalk::driver
