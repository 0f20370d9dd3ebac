#include "lib/compare/elements.h"

#include <gtest/gtest.h>

#include "lib/base/random.h"

namespace ropewalk::compare {
namespace {

TEST(Elements, are_read_as_the_ground_floor_reads_them) {
  for (const Dtype dtype : all_dtypes()) {
    std::vector<std::byte> bytes(64 * size_of(dtype));
    for (u64 n = 0; n < bytes.size(); ++n) bytes[n] = std::byte(random_bits(7, n) & 0x3f);  // no NaN, valid bools
    for (const i64 stride : {1, 3}) {
      double out[20];
      read_elements(bytes.data(), dtype, stride, 20, out);
      for (i64 n = 0; n < 20; ++n) {
        ASSERT_EQ(out[n], load_as_double(bytes.data() + n * stride * size_of(dtype), dtype)) << name_of(dtype);
      }
    }
  }
}

TEST(Elements, initial_values_are_rounded_to_the_tensors_dtype) {
  for (const Init& init :
       {Init(Normal{3}), Init(Fill{0.3}), Init(Arange{0, 0.1}),
        Init(Given{std::make_shared<Array>(Array::of(Dtype::F64, {5000}, std::vector<double>(5000, 0.7)))}),
        Init(Given{std::make_shared<Array>(Array::of(Dtype::BF16, {5000}, std::vector<double>(5000, 0.7)))})}) {
    const LaunchTensor tensor{"x", Dtype::BF16, {50, 100}, {100, 1}, init};
    const std::vector<double> values = initial_values(tensor);
    ASSERT_EQ(values.size(), 5000u);
    for (i64 n = 0; n < 5000; n += 37) {
      u8 bytes[2];
      store_from_double(bytes, Dtype::BF16, value_of(init, n));
      ASSERT_EQ(values[u64(n)], load_as_double(bytes, Dtype::BF16));
    }
  }
}

TEST(Elements, complex_numbers_are_two_elements) {
  const ElementView view(nullptr, Dtype::C64, {2, 3}, {5, 1});
  EXPECT_EQ(view.count(), 12);
  EXPECT_EQ(view.columns(), 2);
  EXPECT_EQ(view.row_offset(3), 10);
  EXPECT_EQ(view.row_offset(1), 2);
}

}  // namespace
}  // namespace ropewalk::compare
