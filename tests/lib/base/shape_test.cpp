#include "lib/base/shape.h"

#include <gtest/gtest.h>

#include "lib/base/random.h"

namespace ropewalk {
namespace {

std::string at(const Shape& shape, const Strides& strides, i64 offset) {
  bool inside = false;
  const std::vector<i64> index = index_at_offset(shape, strides, offset, &inside);
  return text_of(index) + (inside ? " inside" : " outside");
}

TEST(Shape, strides_and_counts) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
  EXPECT_EQ(element_span({2, 3}, {10, 1}), 13);
  EXPECT_EQ(element_span({2, 0}, {10, 1}), 0);
  EXPECT_EQ(element_span({}, {}), 1);
  EXPECT_EQ(offset_of({10, 1}, {1, 2}), 12);
  EXPECT_EQ(text_of(Shape{2, 128}), "[2, 128]");
  EXPECT_EQ(text_of(Shape{}), "[]");
}

TEST(Shape, sizes_that_do_not_fit_are_refused) {
  EXPECT_EQ(checked_element_count({i64(1) << 40}), i64(1) << 40);
  EXPECT_EQ(checked_element_count({i64(1) << 40, i64(1) << 40}), std::nullopt);
  EXPECT_EQ(checked_element_count({i64(1) << 40, i64(1) << 40, 0}), std::nullopt);
  EXPECT_EQ(checked_element_count({5, 0}), 0);
  EXPECT_EQ(checked_element_count({-1}), std::nullopt);
  EXPECT_EQ(checked_element_span({3, 3}, {i64(1) << 62, 1}), std::nullopt);
  EXPECT_EQ(checked_element_span({3, 3}, {-1, 1}), std::nullopt);
  EXPECT_EQ(checked_element_span({3, 3}, {100, 1}), 203);
  EXPECT_EQ(checked_element_span({2}, {INT64_MAX}), std::nullopt);
}

TEST(Shape, index_of_an_element) {
  EXPECT_EQ(index_of({2, 3, 4}, 23), (std::vector<i64>{1, 2, 3}));
  EXPECT_EQ(index_of({2, 3, 4}, 24), (std::vector<i64>{2, 0, 0}));
  EXPECT_EQ(index_of({}, 0), std::vector<i64>{});
}

TEST(Shape, index_at_an_offset) {
  const Shape shape{2, 128, 8, 64};
  const Strides strides = contiguous_strides(shape);
  EXPECT_EQ(at(shape, strides, 0), "[0, 0, 0, 0] inside");
  EXPECT_EQ(at(shape, strides, 131071), "[1, 127, 7, 63] inside");
  EXPECT_EQ(at(shape, strides, 131072), "[2, 0, 0, 0] outside");
  EXPECT_EQ(at(shape, strides, -1), "[-1, 127, 7, 63] outside");
  EXPECT_EQ(at({}, {}, 0), "[] inside");
  EXPECT_EQ(at({}, {}, 5), "[] outside");
  EXPECT_EQ(at({1, 128}, {128, 1}, 130), "[1, 2] outside");
}

TEST(Shape, gaps_belong_to_the_row_before) {
  EXPECT_EQ(at({4, 5}, {8, 1}, 12), "[1, 4] inside");
  EXPECT_EQ(at({4, 5}, {8, 1}, 13), "[1, 4] outside");
  EXPECT_EQ(at({4, 5}, {8, 1}, 16), "[2, 0] inside");
  EXPECT_EQ(at({40}, {3}, 118), "[39] outside");
}

TEST(Shape, other_orders_of_strides) {
  EXPECT_EQ(at({3, 4}, {1, 3}, 7), "[1, 2] inside");  // column-major
  EXPECT_EQ(at({3, 4}, {1, 3}, 12), "[0, 4] outside");
  EXPECT_EQ(at({5, 4}, {0, 1}, 2), "[0, 2] inside");    // broadcast
  EXPECT_EQ(at({3, 3}, {2, 3}, 4), "[2, 0] inside");    // interleaved: 4 is reached by 2 * 2 alone
  EXPECT_EQ(at({10, 4}, {1, 1}, 12), "[9, 3] inside");  // a sliding window
  EXPECT_EQ(at({0, 64}, {64, 1}, 5), "[0, 5] outside");
}

// Whatever the strides are: an index that is claimed to be inside has the offset, and every element is found.
TEST(Shape, every_element_is_found_at_its_offset) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    Shape shape;
    Strides strides;
    for (u64 d = 1 + random.below(4); d > 0; --d) {
      shape.push_back(random.between(1, 4));
      strides.push_back(random.between(0, 30));
    }
    for (i64 n = 0; n < element_count(shape); ++n) {
      const i64 offset = offset_of(strides, index_of(shape, n));
      bool inside = false;
      const std::vector<i64> index = index_at_offset(shape, strides, offset, &inside);
      ASSERT_TRUE(inside) << text_of(shape) << text_of(strides) << offset;
      ASSERT_EQ(offset_of(strides, index), offset);
      for (size_t d = 0; d < shape.size(); ++d) ASSERT_TRUE(index[d] >= 0 && index[d] < shape[d]);
    }
  }
}

}  // namespace
}  // namespace ropewalk
