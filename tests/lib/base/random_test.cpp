#include "lib/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace ropewalk {
namespace {

TEST(Random, a_number_depends_on_seed_and_count_alone) {
  EXPECT_EQ(random_bits(1, 1000), random_bits(1, 1000));
  EXPECT_NE(random_bits(1, 1000), random_bits(2, 1000));
  Random stream(7);
  for (u64 n = 0; n < 10; ++n) EXPECT_EQ(stream.bits(), random_bits(7, n));
}

// Known values: findings and cases of earlier versions must come again.
TEST(Random, streams_do_not_change_between_versions) {
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafull);
  EXPECT_EQ(random_bits(1, 0), 0xe9fd6049d65af21eull);
}

// Against the distribution function itself, from the middle to the farthest numbers that a stream can give.
TEST(Random, quantiles_invert_the_distribution) {
  for (double tail = 0x1p-53; tail < 0.5; tail *= 1.07) {
    const double x = normal_quantile(tail);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // An error of x is amplified by x in the tail's probability.
    ASSERT_NEAR(back / tail, 1, 1e-15 * (4 + x * x)) << tail;
    const double other = 1 - tail;  // what is left of `tail` after rounding
    ASSERT_NEAR(normal_quantile(other), -normal_quantile(1 - other), 1e-15 * std::fabs(x)) << tail;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Random, many_normals_are_the_single_ones) {
  std::vector<double> many(1000);
  random_normals(9, 17, many.size(), many.data());
  for (u64 i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], random_normal(9, 17 + i)) << i;
}

TEST(Random, normal_has_mean_0_and_variance_1) {
  constexpr u64 count = 200000;
  double sum = 0, squares = 0, products = 0, last = 0, cubes = 0;
  for (u64 n = 0; n < count; ++n) {
    const double value = random_normal(3, n);
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
    cubes += value * value * value;
    products += value * last;
    last = value;
  }
  // Five standard deviations of each estimate.
  const double root = std::sqrt(double(count));
  EXPECT_NEAR(sum / count, 0, 5 / root);
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(cubes / count, 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(products / count, 0, 5 / root);
}

TEST(Random, bounds_hold_and_are_reached) {
  Random random(5);
  std::set<i64> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-3, 3));
  EXPECT_EQ(*seen.begin(), -3);
  EXPECT_EQ(*seen.rbegin(), 3);
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(random.below(0), 0u);
}

TEST(Random, splits_are_different_streams) {
  const Random random(5);
  Random a = random.split(0), b = random.split(1), again = random.split(0);
  const u64 first = a.bits();
  EXPECT_NE(first, b.bits());
  EXPECT_EQ(first, again.bits());
}

}  // namespace
}  // namespace ropewalk
