#include "lib/driver/byte_set.h"

#include <gtest/gtest.h>

#include "lib/base/bits.h"
#include "lib/base/random.h"

namespace ropewalk::driver {
namespace {

bool meet(const ByteSet& a, u64 first, u64 last) {
  const std::optional<ByteRange> got = a.overlap(ByteSet(first, last));
  return got && got->first == first && got->last == last;
}

TEST(ByteSet, HoldsRanges) {
  const ByteSet a(10, 200);
  EXPECT_FALSE(a.overlap(ByteSet(0, 10)));
  EXPECT_FALSE(a.overlap(ByteSet(200, 300)));
  EXPECT_TRUE(meet(a, 10, 11));
  EXPECT_TRUE(meet(a, 199, 200));
  EXPECT_TRUE(meet(a, 60, 130));
  const std::optional<ByteRange> both = a.overlap(ByteSet(150, 1000));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first, 150u);
  EXPECT_EQ(both->last, 200u);
  EXPECT_TRUE(a.has_all(ByteSet(10, 200)));
  EXPECT_FALSE(a.has_all(ByteSet(10, 201)));
  EXPECT_FALSE(a.has_all(ByteSet(9, 11)));
  EXPECT_TRUE(a.has_all(ByteSet()));
  EXPECT_FALSE(ByteSet().has_all(a));
  EXPECT_TRUE(ByteSet(5, 5).empty());
}

TEST(ByteSet, UnitesAndTellsItsRanges) {
  for (u64 seed = 0; seed < 200; ++seed) {
    std::vector<u64> one(8), other(8), both(8);
    for (u64 n = 0; n < 12; ++n) {
      std::vector<u64>& words = n % 2 ? one : other;
      const u64 first = random_bits(seed, 2 * n) % 512, last = first + random_bits(seed, 2 * n + 1) % (n % 3 ? 9 : 200);
      set_bits(words.data(), first, std::min<u64>(last, 512));
      set_bits(both.data(), first, std::min<u64>(last, 512));
    }
    const ByteSet united = ByteSet::of_bits(one.data(), 512).united(ByteSet::of_bits(other.data(), 512));
    const u64 low = random_bits(seed, 100) % 512, high = low + random_bits(seed, 101) % (513 - low);
    std::vector<u64> told(8), wanted(8);
    united.any_range(low, high, [&](u64 first, u64 last) {
      EXPECT_LT(first, last);
      set_bits(told.data(), first, last);
      return false;
    });
    for (u64 n = low; n < high; ++n) {
      if (all_bits(both.data(), n, n + 1)) set_bits(wanted.data(), n, n + 1);
    }
    EXPECT_EQ(told, wanted) << "seed " << seed;
  }
}

TEST(ByteSet, RowsAndColumnsDoNotMeet) {
  ByteSet left, right;
  for (u64 row = 0; row < 100; ++row) {
    left.add(row * 96, row * 96 + 40);
    right.add(row * 96 + 40, row * 96 + 96);
  }
  EXPECT_FALSE(left.overlap(right));
  right.add(99 * 96 + 96, 99 * 96 + 97);
  left.add(99 * 96 + 95, 99 * 96 + 98);
  const std::optional<ByteRange> both = left.overlap(right);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first, 99 * 96 + 95u);
  EXPECT_EQ(both->last, 99 * 96 + 97u);
}

// Against the bitmaps themselves.
TEST(ByteSet, IsWhatItsBitmapIs) {
  constexpr u64 bytes = 1000;
  for (u64 seed = 0; seed < 200; ++seed) {
    std::vector<u64> a((bytes + 63) / 64), b = a;
    for (u64 n = 0; n < 6; ++n) {
      const u64 first = random_bits(seed, 4 * n) % bytes, second = random_bits(seed, 4 * n + 1) % bytes;
      set_bits(a.data(), first, std::min(bytes, first + random_bits(seed, 4 * n + 2) % 200));
      set_bits(b.data(), second, std::min(bytes, second + random_bits(seed, 4 * n + 3) % 100));
    }
    u64 low = bytes, high = 0;
    bool all = true;
    for (u64 n = 0; n < bytes; ++n) {
      const bool in_a = all_bits(a.data(), n, n + 1), in_b = all_bits(b.data(), n, n + 1);
      all &= in_a || !in_b;
      if (in_a && in_b) low = std::min(low, n), high = n + 1;
    }
    const ByteSet x = ByteSet::of_bits(a.data(), bytes), y = ByteSet::of_bits(b.data(), bytes);
    const std::optional<ByteRange> both = x.overlap(y);
    EXPECT_EQ(both.has_value(), low < high) << seed;
    if (both) {
      EXPECT_EQ(both->first, low) << seed;
      EXPECT_EQ(both->last, high) << seed;
    }
    EXPECT_EQ(x.has_all(y), all) << seed;
    EXPECT_TRUE(x.has_all(x)) << seed;
  }
}

}  // namespace
}  // namespace ropewalk::driver
