#include "lib/base/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/base/half.h"

namespace ropewalk {
namespace {

TEST(Numbers, ulp_is_the_distance_to_the_next_value) {
  for (const float value : {1.0f, 1.5f, 3.0e8f, 1e-30f, 1e-45f, 0.0f}) {
    EXPECT_EQ(ulp_at(value, Dtype::F32), double(std::nextafter(value, INFINITY)) - value) << value;
  }
  for (const double value : {1.0, 1e300, 5e-324}) {
    EXPECT_EQ(ulp_at(value, Dtype::F64), std::nextafter(value, INFINITY) - value) << value;
  }
  for (u32 bits = 0; bits < 0x7bff; ++bits) {
    const double value = f16_to_f32(u16(bits));
    ASSERT_EQ(ulp_at(-value, Dtype::F16), f16_to_f32(u16(bits + 1)) - value) << bits;
  }
  for (u32 bits = 0; bits < 0x7e; ++bits) {
    const double value = e4m3_to_f32(u8(bits));
    ASSERT_EQ(ulp_at(value, Dtype::F8E4M3), e4m3_to_f32(u8(bits + 1)) - value) << bits;
  }
}

TEST(Numbers, half_a_unit_is_the_rounding_error) {
  EXPECT_EQ(rounding_error(1, Dtype::BF16), 0x1p-8);
  EXPECT_EQ(rounding_error(1, Dtype::F8E5M2), 0x1p-3);
  EXPECT_EQ(rounding_error(1, Dtype::TF32), 0x1p-11);
}

}  // namespace
}  // namespace ropewalk
