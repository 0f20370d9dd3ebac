#include "lib/tensor/array.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

TEST(Array, values_are_kept_in_row_major_order) {
  Array array = Array::of(Dtype::BF16, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(array.bytes.size(), 12u);
  EXPECT_EQ(array.at(4), 4);
  array.set(4, 1.00390625);  // in the middle of two bf16 values
  EXPECT_EQ(array.at(4), 1);
  EXPECT_THROW(Array::of(Dtype::F32, {2}, {1}), InternalError);
}

TEST(Array, empty_and_scalar) {
  EXPECT_EQ(Array::zeros(Dtype::F64, {3, 0}).bytes.size(), 0u);
  EXPECT_EQ(Array::zeros(Dtype::F64, {}).bytes.size(), 8u);
}

}  // namespace
}  // namespace ropewalk
