#include "lib/tensor/init.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

std::shared_ptr<const Array> shared(Array array) { return std::make_shared<const Array>(std::move(array)); }

TEST(Init, values_by_number) {
  EXPECT_EQ(value_of(Fill{2.5}, 7), 2.5);
  EXPECT_EQ(value_of(Arange{1, 0.5}, 4), 3);
  EXPECT_EQ(value_of(Given{shared(Array::of(Dtype::F32, {2}, {8, 9})), ""}, 1), 9);
  EXPECT_EQ(value_of(Normal{3, 10, 2}, 5), 10 + 2 * value_of(Normal{3}, 5));
  EXPECT_THROW(value_of(Uninitialized{}, 0), InternalError);
}

TEST(Init, uniform_stays_below_its_end) {
  double lowest = 5, highest = -2;
  for (i64 n = 0; n < 10000; ++n) {
    const double value = value_of(Uniform{1, -2, 5}, n);
    ASSERT_TRUE(value >= -2 && value < 5);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  EXPECT_LT(lowest, -1.99);
  EXPECT_GT(highest, 4.99);
  EXPECT_EQ(value_of(Uniform{1, 3, 3}, 0), 3);
}

// A part is what the whole has there, in every dtype and for every init.
TEST(Init, parts_agree_with_single_values) {
  const Array given = Array::of(Dtype::F32, {40}, std::vector<double>(40, 1.5));
  for (const Init& init : {Init(Fill{3.25}), Init(Normal{2, 0, 20}), Init(Uniform{2, 0, 50}), Init(Arange{0, 1}),
                           Init(Given{shared(given), ""})}) {
    for (const Dtype dtype : all_dtypes()) {
      std::vector<std::byte> part(10 * size_of(dtype));
      write_values(init, 17, 10, dtype, part.data());
      for (i64 n = 0; n < 10; ++n) {
        std::byte element[8];
        store_from_double(element, dtype, value_of(init, 17 + n));
        ASSERT_EQ(std::memcmp(element, part.data() + n * size_of(dtype), size_of(dtype)), 0) << name_of(dtype) << n;
      }
    }
  }
}

TEST(Init, bytes_of_the_same_dtype_are_copied) {
  Array array = Array::zeros(Dtype::I64, {2});
  const i64 large = (i64(1) << 60) + 1;  // not a double
  std::memcpy(array.bytes.data() + 8, &large, 8);
  i64 got = 0;
  write_values(Given{shared(array), ""}, 1, 1, Dtype::I64, &got);
  EXPECT_EQ(got, large);
}

}  // namespace
}  // namespace ropewalk
