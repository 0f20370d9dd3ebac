#include "reference/rope_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lib/base/random.h"

namespace ropewalk::reference {
namespace {

RopeFormula formula(RopeType type, double theta = 10000, i64 dim = 64) {
  RopeFormula f;
  f.type = type;
  f.theta = theta;
  f.head_dim = f.rotary_dim = dim;
  return f;
}

TEST(RopeTable, DefaultFrequenciesAreAGeometricSeries) {
  const RopeFrequencies w = rope_frequencies(formula(RopeType::Default, 5e5, 128), 0);
  ASSERT_EQ(w.pairs(), 64);
  for (size_t i = 0; i < 64; ++i) EXPECT_NEAR(w.frequency[i] / std::exp(-double(i) / 64 * std::log(5e5)), 1, 1e-13);
  EXPECT_EQ(w.attention, 1);
}

// Llama 3.1 8B: pairs 0 to 28 stay, 29 to 34 lie between, 35 to 63 are divided by 8; the ratios are known.
TEST(RopeTable, Llama3KeepsMixesAndDivides) {
  RopeFormula f = formula(RopeType::Llama3, 5e5, 128);
  f.factor = 8;
  f.original_positions = 8192;
  const RopeFrequencies plain = rope_frequencies(formula(RopeType::Default, 5e5, 128), 0), w = rope_frequencies(f, 0);
  const double between[] = {.8282, .6437, .4935, .3711, .2714, .1902};
  for (size_t i = 0; i < 64; ++i) {
    const double ratio = w.frequency[i] / plain.frequency[i];
    EXPECT_NEAR(ratio, i < 29 ? 1 : i < 35 ? between[i - 29] : 0.125, 5e-5) << i;
  }
}

TEST(RopeTable, DynamicGrowsItsBaseBeyondTheTrainedLength) {
  RopeFormula f = formula(RopeType::Dynamic);
  f.factor = 2;
  f.max_positions = 2048;
  EXPECT_EQ(rope_base(f, 2048), 10000);
  EXPECT_NEAR(rope_base(f, 4096), 10000 * std::pow(3.0, 64.0 / 62.0), 1e-8);
}

TEST(RopeTable, YarnHasItsRampAndTemperature) {
  RopeFormula f = formula(RopeType::Yarn, 10000, 128);
  f.factor = 4;
  f.original_positions = 4096;
  // The pairs that turn 32 times and once within 4,096 positions: 20.9 and 45.0.
  EXPECT_EQ(yarn_ramp(f).low, 20);
  EXPECT_EQ(yarn_ramp(f).high, 46);
  EXPECT_NEAR(rope_attention(f), 0.1 * std::log(4.0) + 1, 1e-15);
  const RopeFrequencies w = rope_frequencies(f, 0), plain = rope_frequencies(formula(RopeType::Default, 10000, 128), 0);
  EXPECT_EQ(w.frequency[20], plain.frequency[20]);
  EXPECT_NEAR(w.frequency[46], plain.frequency[46] / 4, 1e-18);
  EXPECT_NEAR(w.frequency[33], plain.frequency[33] * (0.5 / 4 + 0.5), 1e-12);
  f.mscale = 0.707;
  f.mscale_all_dim = 0.707;
  EXPECT_EQ(rope_attention(f), 1);
}

TEST(RopeTable, ProportionalLeavesColumnsThatDoNotTurn) {
  RopeFormula f = formula(RopeType::Proportional, 1e6, 256);
  f.rotary_dim = 64;
  const RopeFrequencies w = rope_frequencies(f, 0);
  ASSERT_EQ(w.pairs(), 128);
  EXPECT_NEAR(w.frequency[31], std::pow(1e6, -62.0 / 256), 1e-15);
  EXPECT_EQ(w.frequency[32], 0);
}

TEST(RopeTable, NtkOfVllmDividesTheSlowestPairByTheWholeFactor) {
  RopeFormula f = formula(RopeType::Ntk, 10000, 64);
  f.factor = 8;
  const double last = std::pow(10000.0, -62.0 / 64);
  EXPECT_NEAR(rope_frequencies(f, 0).frequency[31], last / 8, 1e-15);
  f.type = RopeType::MixedNtk;
  f.mixed_b = 0.625;
  EXPECT_NEAR(rope_frequencies(f, 0).frequency[31], last / 8, 1e-15);
}

TEST(RopeTable, LongropeChoosesItsSetByTheLength) {
  RopeFormula f = formula(RopeType::LongRope, 10000, 4);
  f.original_positions = 4096;
  f.max_positions = 131072;
  f.short_factor = {1, 1};
  f.long_factor = {2, 50};
  f.factor = 32;
  EXPECT_EQ(rope_frequencies(f, 4096).frequency[0], 1);
  EXPECT_EQ(rope_frequencies(f, 4097).frequency[0], 0.5);
  EXPECT_NEAR(rope_attention(f), std::sqrt(1 + std::log(32.0) / std::log(4096.0)), 1e-15);
}

TEST(RopeTable, AxesAreThoseOfTheirModels) {
  RopeFormula f = formula(RopeType::Default, 10000, 128);
  f.sections = {16, 24, 24};
  f.axes = RopeAxes::Sections;
  EXPECT_EQ(rope_axis(f, 15), 0);
  EXPECT_EQ(rope_axis(f, 16), 1);
  EXPECT_EQ(rope_axis(f, 40), 2);
  f.axes = RopeAxes::InterleavedSections;
  f.sections = {24, 20, 20};
  EXPECT_EQ(rope_axis(f, 1), 1);
  EXPECT_EQ(rope_axis(f, 2), 2);
  EXPECT_EQ(rope_axis(f, 58), 1);
  EXPECT_EQ(rope_axis(f, 61), 0);  // the sections of 20 are over
  f.axes = RopeAxes::Ernie;
  f.sections = {22, 22, 20};
  EXPECT_EQ(rope_axis(f, 0), 1);
  EXPECT_EQ(rope_axis(f, 43), 2);
  EXPECT_EQ(rope_axis(f, 44), 0);
  f.axes = RopeAxes::Vision;
  EXPECT_EQ(rope_axis(f, 31), 0);
  EXPECT_EQ(rope_axis(f, 32), 1);
  // Both axes have the same frequencies.
  EXPECT_EQ(rope_frequencies(f, 0).frequency[3], rope_frequencies(f, 0).frequency[35]);
}

TEST(RopeTable, XposDependsOnTheTablesLength) {
  RopeFormula f = formula(RopeType::Default);
  f.xpos_scale_base = 512;
  EXPECT_EQ(xpos_scale(f, 0, 1024, 2048), 1);
  EXPECT_NEAR(xpos_scale(f, 0, 1536, 2048), 0.4 / 1.4, 1e-15);
  EXPECT_NE(xpos_scale(f, 0, 100, 2048), xpos_scale(f, 0, 100, 4096));
}

// 2^20 x 1e4^(-i/32) is turned back right: an angle in quarters of degrees of the first pair, by extended precision.
TEST(RopeTable, RangeReductionIsRightAtTwoToTheTwenty) {
  const RopeFormula f = formula(RopeType::Default);
  const double positions[] = {1048576, 1048575, 524287};
  std::vector<double> c(96), s(96), cb(96), sb(96);
  rope_table(f, positions, Dtype::F32, {c.data(), cb.data()}, {s.data(), sb.data()});
  for (size_t row = 0; row < 3; ++row) {
    for (size_t i = 0; i < 32; ++i) {
      const long double angle = (long double)positions[row] * std::pow(10000.0L, -(long double)i / 32);
      EXPECT_NEAR(c[row * 32 + i], double(std::cos(angle)), 1e-9) << row << " " << i;
      EXPECT_NEAR(s[row * 32 + i], double(std::sin(angle)), 1e-9);
      EXPECT_LT(cb[row * 32 + i], 0.65);
    }
  }
}

// The bound holds for float32 steps and is not idle: some values come within a tenth of it, and a step in bf16 leaves
// it.
TEST(RopeTable, BoundIsMetByFloat32AndLeftByBf16) {
  const RopeFormula f = formula(RopeType::Default, 1e6, 128);
  const RopeFrequencies w = rope_frequencies(f, 0);
  const RopeBound bound(w, Dtype::F32);
  double nearest = 0;
  i64 left = 0;
  for (const double p : {1.0, 3.0, 257.0, 4095.0, 131071.0, 1048575.0}) {
    for (i64 i = 0; i < 64; ++i) {
      const float inverse = 1.0f / std::pow(1e6f, float(2 * i) / 128.0f);
      const double value = std::cos(p * w.frequency[size_t(i)]);
      const double error = std::abs(double(std::cos(float(p) * inverse)) - value);
      EXPECT_LE(error, bound.at(i, p, value)) << p << " " << i;
      nearest = std::max(nearest, error / bound.at(i, p, value));
      u8 bytes[2];
      store_from_double(bytes, Dtype::BF16, double(inverse));
      left += std::abs(std::cos(p * load_as_double(bytes, Dtype::BF16)) - value) > bound.at(i, p, value);
    }
  }
  EXPECT_GT(nearest, 0.1);
  EXPECT_GT(left, 200);
}

}  // namespace
}  // namespace ropewalk::reference
