#include "lib/base/percent.h"

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Percent, AHundredIsSaidOfAllAlone) {
  EXPECT_EQ(percent_fixed(1, 1), "100.0");
  EXPECT_EQ(percent_fixed(0.99996, 1), "99.996");
  EXPECT_EQ(percent_fixed(0.997, 0), "99.7");
  EXPECT_EQ(percent_fixed(0.9949, 0), "99");
  EXPECT_EQ(percent_rounded(1, 4), "100");
  EXPECT_EQ(percent_rounded(0.99996, 4), "99.996");
  EXPECT_EQ(percent_rounded(0.3789, 4), "37.89");
  EXPECT_EQ(percent_fixed(1 - 1e-12, 1), "99.9999999999");
}

TEST(Percent, NothingIsSaidOfNothingAlone) {
  EXPECT_EQ(percent_fixed(0, 1), "0.0");
  EXPECT_EQ(percent_fixed(0.0001, 1), "0.01");
  EXPECT_EQ(percent_rounded(0, 3), "0");
}

}  // namespace
}  // namespace ropewalk
