#include "lib/tensor/fit.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/lib/message.h"

namespace ropewalk {
namespace {

std::string message_of_fit(const Array& array, Dtype dtype) {
  return message_of([&] { converted(array, dtype, "a.npy"); });
}

TEST(Fit, floats_are_rounded_to_nearest_even) {
  const Array f32 = Array::of(Dtype::F32, {2}, {1 + 0x1p-8, 1 + 3 * 0x1p-8});
  const Array bf16 = converted(f32, Dtype::BF16, "a.npy");
  EXPECT_EQ(bf16.dtype, Dtype::BF16);
  EXPECT_EQ(bf16.at(0), 1);
  EXPECT_EQ(bf16.at(1), 1 + 0x1p-6);
  EXPECT_EQ(converted(Array::of(Dtype::F32, {1}, {17}), Dtype::F8E4M3, "").at(0), 16);
}

TEST(Fit, unsigned_integers_of_the_same_size_are_the_bits) {
  EXPECT_EQ(converted(Array::of(Dtype::U16, {1}, {0x3f80}), Dtype::BF16, "").at(0), 1);
  EXPECT_EQ(converted(Array::of(Dtype::U16, {1}, {0x3c00}), Dtype::F16, "").at(0), 1);
  EXPECT_EQ(converted(Array::of(Dtype::U8, {1}, {0x38}), Dtype::F8E4M3, "").at(0), 1);
  EXPECT_EQ(converted(Array::of(Dtype::U8, {1}, {0x3c}), Dtype::F8E5M2, "").at(0), 1);
  // Of another size, or signed, they are values.
  EXPECT_EQ(converted(Array::of(Dtype::U8, {1}, {56}), Dtype::BF16, "").at(0), 56);
  EXPECT_EQ(converted(Array::of(Dtype::I16, {1}, {56}), Dtype::BF16, "").at(0), 56);
}

TEST(Fit, integers_must_hold_the_values) {
  EXPECT_EQ(message_of_fit(Array::of(Dtype::I64, {2, 2}, {0, 1, 2, 5e9}), Dtype::I32),
            "a.npy: holds 5000000000 at [1, 1], which i32 cannot hold");
  EXPECT_EQ(message_of_fit(Array::of(Dtype::F32, {1}, {1.5}), Dtype::I32),
            "a.npy: holds 1.5 at [0], which i32 cannot hold");
  EXPECT_EQ(message_of_fit(Array::of(Dtype::I8, {1}, {-1}), Dtype::U64),
            "a.npy: holds -1 at [0], which u64 cannot hold");
  EXPECT_EQ(message_of_fit(Array::of(Dtype::U64, {1}, {0x1p63}), Dtype::I64),
            "a.npy: holds 9223372036854775808 at [0], which i64 cannot hold");
  EXPECT_EQ(message_of_fit(Array::of(Dtype::U8, {1}, {2}), Dtype::Bool),
            "a.npy: holds 2 at [0], which bool cannot hold");
  EXPECT_EQ(message_of_fit(Array::of(Dtype::F64, {1}, {0x1p64}), Dtype::U64),
            "a.npy: holds 1.8446744073709552e+19 at [0], which u64 cannot hold");
  EXPECT_EQ(converted(Array::of(Dtype::I64, {1}, {-7}), Dtype::I8, "").at(0), -7);
  EXPECT_EQ(converted(Array::of(Dtype::I8, {1}, {-7}), Dtype::I64, "").at(0), -7);
  EXPECT_EQ(converted(Array::of(Dtype::F64, {1}, {-0x1p63}), Dtype::I64, "").at(0), -0x1p63);
}

TEST(Fit, integers_beyond_doubles_are_exact) {
  Array array = Array::zeros(Dtype::I64, {1});
  const i64 large = (i64(1) << 60) + 1;
  std::memcpy(array.bytes.data(), &large, 8);
  const Array result = converted(array, Dtype::U64, "");
  EXPECT_EQ(result.bytes, array.bytes);
}

TEST(Fit, complex_and_shapes) {
  EXPECT_EQ(message_of_fit(Array::zeros(Dtype::C64, {1}), Dtype::F32),
            "a.npy: holds complex numbers, the tensor is f32");
  EXPECT_EQ(message_of([] {
              fitted(Array::zeros(Dtype::F32, {2, 3}), Dtype::F32, {3, 2}, "a.npy");
            }),
            "a.npy: holds an array of shape [2, 3], the tensor has shape [3, 2]");
  EXPECT_EQ(fitted(Array::zeros(Dtype::F32, {2, 3}), Dtype::F16, {2, 3}, "a.npy").dtype, Dtype::F16);
}

}  // namespace
}  // namespace ropewalk
