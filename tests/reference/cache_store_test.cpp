#include "reference/cache_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ropewalk::reference {
namespace {

constexpr double open = std::numeric_limits<double>::infinity();

struct Cache {
  std::vector<double> value, bound;

  explicit Cache(const CacheShape& shape) : value(u64(shape.pages * shape.page_elements())), bound(value.size()) {}
  ExpectedValues room() { return {value.data(), bound.data()}; }
};

TEST(CacheShape, rows_lie_by_tokens_or_by_heads) {
  const CacheShape nhd{4, 3, 2, 5, false}, hnd{4, 3, 2, 5, true};
  // Slot 7 is token 1 of page 2, and a page has 30 elements.
  EXPECT_EQ(nhd.row_at(7, 0), 60 + 10);
  EXPECT_EQ(nhd.row_at(7, 1), 60 + 10 + 5);
  EXPECT_EQ(hnd.row_at(7, 0), 60 + 5);
  EXPECT_EQ(hnd.row_at(7, 1), 60 + 15 + 5);
}

TEST(CacheAfterStore, has_the_rows_of_tokens_in_their_slots) {
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6};  // three tokens of two heads of one column
  const CacheShape nhd{2, 2, 2, 1, false};
  Cache cache(nhd);
  cache_after_store(nhd, {3, -1, 0}, std::nullopt, rows.data(), cache.room());
  EXPECT_EQ(cache.value, (std::vector<double>{5, 6, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(cache.bound, (std::vector<double>{0, 0, open, open, open, open, 0, 0}));
  const CacheShape hnd{2, 2, 2, 1, true};
  Cache heads_first(hnd);
  cache_after_store(hnd, {3, -1, 0}, std::nullopt, rows.data(), heads_first.room());
  EXPECT_EQ(heads_first.value, (std::vector<double>{5, 0, 6, 0, 0, 1, 0, 2}));
}

// f8e4m3 has steps of 1/8 in [1, 2), of 32 in [256, 448], and of 2^-9 below 2^-6.
TEST(ScaledToF8e4m3, is_nearest_even_and_saturates) {
  EXPECT_EQ(scaled_to_f8e4m3(1.0625, 1), 1);     // halfway between 1 and 1.125: to even
  EXPECT_EQ(scaled_to_f8e4m3(1.1875, 1), 1.25);  // halfway between 1.125 and 1.25
  EXPECT_EQ(scaled_to_f8e4m3(1.07, 1), 1.125);
  EXPECT_EQ(scaled_to_f8e4m3(3, 2), 1.5);
  EXPECT_EQ(scaled_to_f8e4m3(-500, 0.5f), -448);
  EXPECT_EQ(scaled_to_f8e4m3(448, 1), 448);
  EXPECT_EQ(scaled_to_f8e4m3(0x1p-9, 1), 0x1p-9);
  EXPECT_EQ(scaled_to_f8e4m3(0x1p-10, 1), 0);
  // 0.1 is no number of f32: what is divided by is the nearest.
  EXPECT_EQ(scaled_to_f8e4m3(1, 0.1f), 10);
}

TEST(CacheAfterCopy, has_the_pages_as_they_were_before) {
  const CacheShape shape{4, 1, 1, 2, false};
  Cache cache(shape);
  const std::vector<double> before = {1, 2, 3, 4, 5, 6, 7, 8};
  cache_after_copy(shape, {0, 3, 0, 2}, before.data(), cache.room());
  EXPECT_EQ(cache.value, (std::vector<double>{1, 2, 3, 4, 1, 2, 1, 2}));
  EXPECT_EQ(cache.bound, std::vector<double>(8, 0));
}

}  // namespace
}  // namespace ropewalk::reference
