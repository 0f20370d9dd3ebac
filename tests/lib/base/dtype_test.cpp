#include "lib/base/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ropewalk {
namespace {

double through(Dtype dtype, double value) {
  unsigned char bytes[8];
  std::memset(bytes, 0xa5, sizeof bytes);
  store_from_double(bytes, dtype, value);
  return load_as_double(bytes, dtype);
}

TEST(Dtype, names_come_back) {
  EXPECT_EQ(all_dtypes().size(), 17u);
  for (const Dtype dtype : all_dtypes()) EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
  EXPECT_EQ(dtype_named("float"), std::nullopt);
  EXPECT_EQ(dtype_named("f8e4m3"), Dtype::F8E4M3);
}

TEST(Dtype, sizes) {
  EXPECT_EQ(size_of(Dtype::Bool), 1u);
  EXPECT_EQ(size_of(Dtype::BF16), 2u);
  EXPECT_EQ(size_of(Dtype::TF32), 4u);
  EXPECT_EQ(size_of(Dtype::C64), 8u);
  EXPECT_EQ(size_of(Dtype::F8E5M2), 1u);
}

TEST(Dtype, integers_are_cut_and_saturate) {
  EXPECT_EQ(through(Dtype::I8, -1.9), -1);
  EXPECT_EQ(through(Dtype::I8, 200), 127);
  EXPECT_EQ(through(Dtype::I8, -200), -128);
  EXPECT_EQ(through(Dtype::U16, -3), 0);
  EXPECT_EQ(through(Dtype::U16, 70000), 65535);
  EXPECT_EQ(through(Dtype::I64, 1e30), 0x1p63);
  EXPECT_EQ(through(Dtype::I64, -1e30), -0x1p63);
  EXPECT_EQ(through(Dtype::U64, 1e30), 0x1p64);
  EXPECT_EQ(through(Dtype::I32, NAN), 0);
  EXPECT_EQ(through(Dtype::Bool, 0.5), 1);
}

TEST(Dtype, floats_are_rounded_to_nearest_even) {
  EXPECT_EQ(through(Dtype::F32, 1 + 0x1p-24), 1);
  EXPECT_EQ(through(Dtype::BF16, 1 + 0x1p-8), 1);
  EXPECT_EQ(through(Dtype::BF16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(through(Dtype::TF32, 1 + 0x1p-11), 1);
  EXPECT_EQ(through(Dtype::TF32, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(through(Dtype::TF32, 1 + 0x1p-11 + 0x1p-45), 1 + 0x1p-10);
  EXPECT_EQ(through(Dtype::F8E4M3, 17), 16);
  EXPECT_EQ(through(Dtype::F8E5M2, 0.3), 0.3125);
  EXPECT_TRUE(std::isnan(through(Dtype::TF32, NAN)));
  EXPECT_EQ(through(Dtype::TF32, -INFINITY), -INFINITY);
}

TEST(Dtype, complex_has_a_real_part) {
  float parts[2] = {7, 7};
  store_from_double(parts, Dtype::C64, 2.5);
  EXPECT_EQ(parts[0], 2.5f);
  EXPECT_EQ(parts[1], 0.0f);
  EXPECT_EQ(load_as_double(parts, Dtype::C64), 2.5);
}

TEST(Dtype, integer_ranges) {
  EXPECT_EQ(integer_range(Dtype::I8).low, -128);
  EXPECT_EQ(integer_range(Dtype::I8).high, 127u);
  EXPECT_EQ(integer_range(Dtype::I64).low, INT64_MIN);
  EXPECT_EQ(integer_range(Dtype::I64).high, u64(INT64_MAX));
  EXPECT_EQ(integer_range(Dtype::U64).high, UINT64_MAX);
  EXPECT_EQ(integer_range(Dtype::U64).low, 0);
  EXPECT_EQ(integer_range(Dtype::Bool).high, 1u);
}

}  // namespace
}  // namespace ropewalk
