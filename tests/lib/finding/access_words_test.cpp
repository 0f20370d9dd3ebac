#include "lib/finding/access_words.h"

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

Access access(u64 bytes, i64 offset) {
  return {.space = "global", .bytes = bytes, .tensor = "x", .shape = {3, 2}, .dtype = "f16", .byte_offset = offset};
}

TEST(AccessWords, BytesAcrossTheEndAreThoseOfAnAccessThatBeginsInside) {
  EXPECT_EQ(bytes_across_end(access(8, 8)), 4u);
  EXPECT_EQ(bytes_across_end(access(16, 0)), 4u);
  EXPECT_EQ(bytes_across_end(access(4, 8)), 0u);
  EXPECT_EQ(bytes_across_end(access(8, 12)), 0u);
  EXPECT_EQ(bytes_across_end(access(8, -4)), 0u);
}

TEST(AccessWords, OfATensorWhoseSizeIsNotKnownNothingIsSaid) {
  Access unknown = access(8, 8);
  unknown.dtype.clear();
  EXPECT_EQ(bytes_across_end(unknown), 0u);
  unknown = access(8, 8);
  unknown.shape.clear();
  EXPECT_EQ(bytes_across_end(unknown), 0u);
}

}  // namespace
}  // namespace ropewalk
