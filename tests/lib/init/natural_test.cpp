#include "lib/init/natural.h"

#include <gtest/gtest.h>

namespace ropewalk::init {
namespace {

TEST(Natural, AddsAndMultipliesAcrossDigits) {
  Natural sum(999999999999ull);
  sum += Natural(1);
  EXPECT_EQ(sum, Natural(1000000000000ull));
  EXPECT_EQ(Natural(4294967296ull) * Natural(4294967295ull), Natural(18446744069414584320ull));
  EXPECT_EQ(Natural(0) * Natural(7), Natural(0));
}

TEST(Natural, PrintsGroupsOfDigitsAndPowersOfTen) {
  EXPECT_EQ(Natural(0).text(), "0");
  EXPECT_EQ(Natural(999).text(), "999");
  EXPECT_EQ(Natural(59136).text(), "59,136");
  EXPECT_EQ(Natural(1000000000).text(), "1,000,000,000");
  EXPECT_EQ((Natural(1000000000000ull) * Natural(123456789)).text(), "1.23e+20");
}

TEST(Natural, CountsChoices) {
  EXPECT_EQ(Natural::binomial(12, 6), Natural(924));
  EXPECT_EQ(Natural::binomial(5, 0), Natural(1));
  // Pascal's rule far beyond 64 bits.
  Natural sum = Natural::binomial(199, 99);
  sum += Natural::binomial(199, 100);
  EXPECT_EQ(sum, Natural::binomial(200, 100));
}

}  // namespace
}  // namespace ropewalk::init
