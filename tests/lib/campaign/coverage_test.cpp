#include "lib/campaign/coverage.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"

namespace ropewalk::campaign {
namespace {

TEST(Coverage, bits_come_back_from_their_digits) {
  const std::vector<bool> bits{true, false, false, true, true, true};
  EXPECT_EQ(hex_of(bits), "93");
  EXPECT_EQ(from_hex("93", 6), bits);
  EXPECT_EQ(from_hex("", 0), std::vector<bool>{});
  EXPECT_THROW(from_hex("9", 6), InputError);
  EXPECT_THROW(from_hex("9g", 6), InputError);
}

TEST(Coverage, shards_are_joined) {
  KernelCoverage one{"k", 3, {{2, 4, {true, false, false, true}}}, {{"f", 7, true, false}, {"g", 2, true, true}}};
  const KernelCoverage other{
      "k", 5, {{2, 4, {true, true, false, false}}}, {{"f", 3, false, true}, {"f", 7, false, true}}};
  join(one, other);
  EXPECT_EQ(one.cases, 8u);
  EXPECT_EQ(one.tuples[0].covered(), 3u);
  ASSERT_EQ(one.branches.size(), 3u);
  EXPECT_EQ(one.branches[0].ptx_line, 3u);
  EXPECT_TRUE(one.branches[1].taken && one.branches[1].not_taken);
  EXPECT_EQ(one.sides(), 5u);
}

TEST(Coverage, other_tuples_are_no_shard) {
  KernelCoverage one{"k", 3, {{2, 4, std::vector<bool>(4)}}, {}};
  EXPECT_THROW(join(one, {"k", 3, {{2, 5, std::vector<bool>(5)}}, {}}), InputError);
  EXPECT_THROW(join(one, {"k", 3, {}, {}}), InputError);
}

}  // namespace
}  // namespace ropewalk::campaign
