// A set of bytes of an allocation, in little space for what kernels and copies touch: ranges, rows, and every n-th
// element.
#pragma once
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
