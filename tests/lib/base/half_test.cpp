#include "lib/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace ropewalk {
namespace {

// A small float format, given by its definition alone: value = (-1)^s * 2^(max(e, 1) - bias - f) * (fraction + (e ? 2^f
// : 0)).
struct Format {
  int fraction_bits, exponent_bits, bias;
  bool has_infinity;
};
constexpr Format f16{10, 5, 15, true}, bf16{7, 8, 127, true}, e4m3{3, 4, 7, false}, e5m2{2, 5, 15, true};

int bits_of(const Format& format) { return 1 + format.fraction_bits + format.exponent_bits; }

// Exact in double. NaN and infinity where the format has them.
double exact(u32 bits, const Format& format) {
  const u32 fraction = bits & ((1u << format.fraction_bits) - 1);
  const u32 exponent = (bits >> format.fraction_bits) & ((1u << format.exponent_bits) - 1);
  const double sign = bits >> (bits_of(format) - 1) ? -1 : 1;
  const bool highest = exponent == (1u << format.exponent_bits) - 1;
  if (highest && format.has_infinity) return fraction ? NAN : sign * INFINITY;
  if (highest && fraction == (1u << format.fraction_bits) - 1) return NAN;
  const double significand = fraction + (exponent ? std::ldexp(1.0, format.fraction_bits) : 0.0);
  return sign * std::ldexp(significand, int(exponent ? exponent : 1) - format.bias - format.fraction_bits);
}

using ToFloat = std::function<float(u32)>;
using FromDouble = std::function<u32(double)>;

// Every bit pattern gives the exact value, and comes back from it.
void check_every_pattern(const Format& format, const ToFloat& to_float, const FromDouble& from_double, u32 nan) {
  for (u32 bits = 0; bits < (1u << bits_of(format)); ++bits) {
    const double expected = exact(bits, format);
    const float got = to_float(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      ASSERT_EQ(from_double(got), nan) << bits;
      continue;
    }
    ASSERT_EQ(double(got), expected) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    ASSERT_EQ(from_double(got), bits);
  }
}

// Between every two neighbours: what is nearer wins, the middle goes to the even one. `beyond` is where the largest
// finite value's next would be.
void check_every_boundary(const Format& format, const FromDouble& from_double, u32 largest, u32 beyond,
                          bool tiny_steps) {
  const u32 sign = 1u << (bits_of(format) - 1);
  for (u32 low = 0; low <= largest; ++low) {
    const u32 high = low == largest ? beyond : low + 1;
    const double below = exact(low, format);
    const double step = low == largest ? below - exact(low - 1, format) : exact(low + 1, format) - below;
    const double middle = below + step / 2;
    const double little = tiny_steps ? step * 0x1p-30 : step / 16;
    const u32 even = low % 2 == 0 ? low : high;
    for (const u32 negative : {0u, sign}) {
      const double s = negative ? -1 : 1;
      ASSERT_EQ(from_double(s * middle), even | negative) << low;
      ASSERT_EQ(from_double(s * (middle - little)), low | negative) << low;
      ASSERT_EQ(from_double(s * (middle + little)), high | negative) << low;
    }
  }
}

TEST(Half, f16_in_both_directions) {
  const ToFloat to_float = [](u32 bits) { return f16_to_f32(u16(bits)); };
  const FromDouble by_double = [](double value) { return u32(f64_to_f16(value)); };
  const FromDouble by_float = [](double value) { return u32(f32_to_f16(float(value))); };
  check_every_pattern(f16, to_float, by_double, 0x7fff);
  check_every_pattern(f16, to_float, by_float, 0x7fff);
  check_every_boundary(f16, by_double, 0x7bff, 0x7c00, true);
  check_every_boundary(f16, by_float, 0x7bff, 0x7c00, false);
}

TEST(Half, bf16_in_both_directions) {
  const ToFloat to_float = [](u32 bits) { return bf16_to_f32(u16(bits)); };
  const FromDouble by_double = [](double value) { return u32(f64_to_bf16(value)); };
  const FromDouble by_float = [](double value) { return u32(f32_to_bf16(float(value))); };
  check_every_pattern(bf16, to_float, by_double, 0x7fff);
  check_every_pattern(bf16, to_float, by_float, 0x7fff);
  check_every_boundary(bf16, by_double, 0x7f7f, 0x7f80, true);
  check_every_boundary(bf16, by_float, 0x7f7f, 0x7f80, false);
}

TEST(Half, e4m3_all_256_values) {
  const ToFloat to_float = [](u32 bits) { return e4m3_to_f32(u8(bits)); };
  const FromDouble saturating = [](double value) { return u32(f32_to_e4m3(float(value), true)); };
  const FromDouble open = [](double value) { return u32(f32_to_e4m3(float(value), false)); };
  check_every_pattern(e4m3, to_float, saturating, 0x7f);
  check_every_pattern(e4m3, to_float, open, 0x7f);
  check_every_boundary(e4m3, saturating, 0x7e, 0x7e, false);
  // 464 lies in the middle of 448, which is even, and what would be 480.
  check_every_boundary(e4m3, open, 0x7e, 0x7f, false);
  EXPECT_EQ(f32_to_e4m3(INFINITY, true), 0x7e);
  EXPECT_EQ(f32_to_e4m3(-INFINITY, true), 0xfe);
  EXPECT_TRUE(std::isnan(e4m3_to_f32(f32_to_e4m3(-INFINITY, false))));
}

TEST(Half, e5m2_all_256_values) {
  const ToFloat to_float = [](u32 bits) { return e5m2_to_f32(u8(bits)); };
  const FromDouble saturating = [](double value) { return u32(f32_to_e5m2(float(value), true)); };
  const FromDouble open = [](double value) { return u32(f32_to_e5m2(float(value), false)); };
  check_every_pattern(e5m2, to_float, open, 0x7f);
  check_every_boundary(e5m2, saturating, 0x7b, 0x7b, false);
  check_every_boundary(e5m2, open, 0x7b, 0x7c, false);
  EXPECT_EQ(f32_to_e5m2(INFINITY, true), 0x7b);
  EXPECT_EQ(f32_to_e5m2(-INFINITY, false), 0xfc);
}

TEST(Half, values_beyond_binary32_overflow) {
  EXPECT_EQ(f64_to_f16(1e300), 0x7c00);
  EXPECT_EQ(f64_to_bf16(-1e300), 0xff80);
  EXPECT_EQ(f64_to_bf16(1e-300), 0);
  EXPECT_EQ(f64_to_f16(-1e-300), 0x8000);
}

// 1 + 2^-11 + 2^-40 is above the middle of two f16 neighbours, but its nearest binary32 is that middle.
TEST(Half, double_rounding_is_avoided) {
  const double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(f32_to_f16(float(value)), 0x3c00);
  EXPECT_EQ(f64_to_f16(value), 0x3c01);
}

}  // namespace
}  // namespace ropewalk
