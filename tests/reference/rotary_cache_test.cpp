#include <gtest/gtest.h>

#include <cmath>

#include "kernels/rotary/angle.cuh"
#include "lib/problem/rotary.h"
#include "reference/rotary.h"
#include "reference/rounding.h"

namespace ropewalk::reference {
namespace {

struct Tables {
  RotaryProblem problem;
  std::vector<double> cosine, cosine_bound, sine, sine_bound;

  explicit Tables(const std::string& text, const std::vector<double>& frequencies = {}) : problem(parse_rotary(text)) {
    const u64 count = u64(problem.table_rows() * (problem.width() / 2));
    for (auto* each : {&cosine, &cosine_bound, &sine, &sine_bound}) each->resize(count);
    rotary_cache(problem, frequencies.empty() ? nullptr : frequencies.data(), {cosine.data(), cosine_bound.data()},
                 {sine.data(), sine_bound.data()});
  }
  u64 at(i64 row, i64 pair) const { return u64(row * (problem.width() / 2) + pair); }
};

TEST(RotaryCacheReference, agrees_with_long_double) {
  const Tables t("rotary(T=3000,D=64,rotary_dim=24,theta=500000)");
  for (i64 row = 0; row < 3000; row += 7) {
    for (i64 pair = 0; pair < 12; ++pair) {
      const long double angle = (long double)row * powl(500000, -2.0L * pair / 24);
      ASSERT_NEAR(t.cosine[t.at(row, pair)], double(cosl(angle)), 1e-12);
      ASSERT_NEAR(t.sine[t.at(row, pair)], double(sinl(angle)), 1e-12);
    }
  }
}

// The kernel's own functions, compiled for the host, with the host's cosf and sinf (right to one unit).
TEST(RotaryCacheReference, f32_tables_stay_within_the_bound) {
  for (const double theta : {100.0, 10000.0, 500000.0, 1e9}) {
    for (const bool given : {false, true}) {
      std::vector<double> frequencies;
      for (int pair = 0; pair < 16 && given; ++pair) frequencies.push_back(float(std::pow(theta, -pair / 16.0)));
      const Tables t("rotary(T=40000,D=32,theta=" + std::to_string(theta) + ")", frequencies);
      double largest = 0;
      for (i64 row = 0; row < 40000; row += 13) {
        for (int pair = 0; pair < 16; ++pair) {
          const float frequency = given ? float(frequencies[u64(pair)]) : inverse_frequency(pair, 32, std::log2(theta));
          const float angle = rotary_angle(int(row), frequency);
          const u64 n = t.at(row, pair);
          ASSERT_LE(std::abs(double(std::cos(angle)) - t.cosine[n]), t.cosine_bound[n]) << row << " " << pair;
          ASSERT_LE(std::abs(double(std::sin(angle)) - t.sine[n]), t.sine_bound[n]) << row << " " << pair;
          largest = std::max(largest, std::abs(double(std::cos(angle)) - t.cosine[n]) / t.cosine_bound[n]);
        }
      }
      EXPECT_GT(largest, 0.3) << "a bound that is never reached by a third is loose";
    }
  }
}

// Frequency and angle are each rounded by f32_roundoff at most, and somewhere by nearly as much.
TEST(RotaryCacheReference, bound_grows_with_the_angle) {
  const Tables t("rotary(T=100001,D=4)");
  double largest = 0;
  for (i64 row = 1; row <= 100000; ++row) {
    const double most = double(row) * 0.01 * 2 * f32_roundoff;
    ASSERT_LE(t.cosine_bound[t.at(row, 1)], most * 1.001 + 5e-7);
    if (row > 50000) largest = std::max(largest, t.cosine_bound[t.at(row, 1)] / most);
  }
  EXPECT_GT(largest, 0.5);
}

// The first pair's frequency is 1, so that its angles are positions.
TEST(RotaryCacheReference, an_angle_that_f32_holds_has_no_error) {
  const Tables t("rotary(T=100001,D=4)");
  EXPECT_LT(t.cosine_bound[t.at(100000, 0)], 5e-7);
  const Tables given("rotary(T=2,D=2,given_frequencies=true)", {0x1.8p60});
  EXPECT_LT(given.cosine_bound[given.at(1, 0)], 5e-7);
}

TEST(RotaryCacheReference, a_table_for_another_width_is_outside_the_bound) {
  const Tables right("rotary(T=64,D=64,rotary_dim=32)"), wrong("rotary(T=64,D=64,rotary_dim=64)");
  int outside = 0;
  for (i64 row = 1; row < 64; ++row) {
    outside += std::abs(right.cosine[right.at(row, 1)] - wrong.cosine[wrong.at(row, 1)]) >
               right.cosine_bound[right.at(row, 1)];
  }
  EXPECT_EQ(outside, 63);
}

TEST(RotaryCacheReference, narrow_tables_are_rounded_once_more) {
  const Tables f32("rotary(T=64,D=8)"), bf16("rotary(T=64,D=8,cache_dtype=bf16)");
  for (u64 n = 0; n < f32.cosine.size(); ++n) {
    ASSERT_GE(bf16.cosine_bound[n], f32.cosine_bound[n]);
    ASSERT_LE(bf16.cosine_bound[n], f32.cosine_bound[n] + 0x1p-8);
  }
}

}  // namespace
}  // namespace ropewalk::reference
