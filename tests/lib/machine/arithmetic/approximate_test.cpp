// The approximate instructions: the largest error over all exponents and many fractions, against the figures of the PTX
// manual, and the special values of its tables. The truth is the host's mathematics in double precision.
#include "lib/machine/arithmetic/approximate.h"

#include <cmath>

#include "lib/machine/arithmetic/approximate_half.h"
#include "tests/lib/machine/arithmetic/format_table.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

const float infinity = bits_to_f32(0x7f800000);
bool normal(double value) { return std::fabs(value) >= 0x1p-126 && std::fabs(value) < 0x1p128; }

// Every sign and exponent with 2000 fractions: half a million operands.
template <class Visit>
void for_all_exponents(Visit visit) {
  Random random(53);
  for (u32 exponent = 0; exponent < 512; ++exponent) {
    for (u32 i = 0; i < 2000; ++i)
      visit(bits_to_f32(exponent << 23 | (i < 4 ? i & 1u ? 0x7fffff - i : i : u32(random.below(1u << 23)))));
  }
}
// Operands spread evenly over [low, high].
template <class Visit>
void for_interval(double low, double high, Visit visit) {
  Random random(59);
  for (u32 i = 0; i < 1000000; ++i) visit(float(low + (high - low) * random.unit()));
}
double relative(double got, double truth) { return std::fabs(got - truth) / std::fabs(truth); }
// In units of the last place of the true result.
double ulps(double got, double truth) { return std::fabs(got - truth) / std::ldexp(1.0, std::ilogb(truth) - 23); }

#define EXPECT_BITS(value, bits) EXPECT_EQ(f32_to_bits(value), u32(bits))

TEST(Approximate, Exponential) {
  double flushing = 0, full = 0;
  const auto visit = [&](float a) {
    const double truth = std::exp2(double(a));
    if (!normal(truth)) return;
    const float ftz = Ex2ApproxF32<true>::apply(a), plain = Ex2ApproxF32<false>::apply(a);
    flushing = std::max(flushing, relative(ftz, truth));
    full = std::max(full, relative(plain, truth));
  };
  for_all_exponents(visit);
  for_interval(-126, 128, visit);
  for_interval(-1, 1, visit);
  EXPECT_LT(flushing, 0x1p-22);  // the manual's figure
  EXPECT_LT(full, 0x1p-22);
  EXPECT_LT(flushing, std::exp2(-23.4));  // what it is
  EXPECT_LT(full, std::exp2(-23.4));

  // Subnormal results: within half a unit more than rounding.
  for_interval(-150, -126, [](float a) {
    EXPECT_NEAR(Ex2ApproxF32<false>::apply(a), std::exp2(double(a)), 0.51 * 0x1p-149 + 0x1p-22 * std::exp2(double(a)));
    EXPECT_BITS(a < -126 ? Ex2ApproxF32<true>::apply(a) : 0.0f, 0);
  });
  for (const bool ftz : {false, true}) {
    const auto ex2 = [ftz](float a) { return ftz ? Ex2ApproxF32<true>::apply(a) : Ex2ApproxF32<false>::apply(a); };
    EXPECT_BITS(ex2(-infinity), 0);
    EXPECT_BITS(ex2(infinity), 0x7f800000);
    EXPECT_BITS(ex2(bits_to_f32(0x7fc12345)), 0x7fffffff);
    EXPECT_BITS(ex2(bits_to_f32(0xff800001)), 0x7fffffff);
    for (const u32 tiny : {0x00000000u, 0x80000000u, 0x00000001u, 0x80400000u}) EXPECT_EQ(ex2(bits_to_f32(tiny)), 1.0f);
    EXPECT_BITS(ex2(128.0f), 0x7f800000);
    EXPECT_BITS(ex2(3e38f), 0x7f800000);
    EXPECT_BITS(ex2(-3e38f), 0);
    for (int n = -126; n < 128; ++n) EXPECT_EQ(ex2(float(n)), std::ldexp(1.0f, n));
  }
  EXPECT_BITS(Ex2ApproxF32<false>::apply(-149.0f), 1);
  EXPECT_BITS(Ex2ApproxF32<true>::apply(-127.0f), 0);
}

TEST(Approximate, Logarithm) {
  double absolute = 0, outside = 0;
  const auto visit = [&](float a) {
    if (!(a > 0) || std::isinf(a)) return;
    const double truth = std::log2(double(a)), got = Lg2ApproxF32<false>::apply(a);
    if (a > 0.5f && a < 2) {
      absolute = std::max(absolute, std::fabs(got - truth));
    } else {
      outside = std::max(outside, relative(got, truth));
    }
    if (normal(a)) {
      ASSERT_EQ(Lg2ApproxF32<true>::apply(a), Lg2ApproxF32<false>::apply(a));
    }
  };
  for_all_exponents(visit);
  for_interval(0.25, 4, visit);
  EXPECT_LT(absolute, 0x1p-22);  // the manual's figures
  EXPECT_LT(outside, 0x1p-22);
  EXPECT_LT(absolute, std::exp2(-23.5));  // what they are
  EXPECT_LT(outside, std::exp2(-23.5));
  EXPECT_BITS(Lg2ApproxF32<false>::apply(1.0f), 0);
  for (int n = -149; n < 128; ++n) EXPECT_EQ(Lg2ApproxF32<false>::apply(std::ldexp(1.0f, n)), float(n));
  EXPECT_BITS(Lg2ApproxF32<false>::apply(0.0f), 0xff800000);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(-0.0f), 0xff800000);
  EXPECT_BITS(Lg2ApproxF32<true>::apply(bits_to_f32(1)), 0xff800000);
  EXPECT_BITS(Lg2ApproxF32<true>::apply(bits_to_f32(0x80000001)), 0xff800000);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(bits_to_f32(0x80000001)), 0x7fffffff);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(-1.0f), 0x7fffffff);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(-infinity), 0x7fffffff);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(infinity), 0x7f800000);
  EXPECT_BITS(Lg2ApproxF32<false>::apply(bits_to_f32(0xffc00000)), 0x7fffffff);
}

TEST(Approximate, ReciprocalsAndRoots) {
  double reciprocal = 0, root = 0, inverse_root = 0;
  for_all_exponents([&](float a) {
    if (!normal(a)) return;
    if (normal(1.0 / a)) reciprocal = std::max(reciprocal, ulps(RcpApproxF32<true>::apply(a), 1.0 / a));
    if (a < 0) {
      ASSERT_TRUE(std::isnan(SqrtApproxF32<false>::apply(a)) && std::isnan(RsqrtApproxF32<true>::apply(a)));
      return;
    }
    root = std::max(root, relative(SqrtApproxF32<true>::apply(a), std::sqrt(double(a))));
    inverse_root = std::max(inverse_root, relative(RsqrtApproxF32<true>::apply(a), 1 / std::sqrt(double(a))));
  });
  EXPECT_LE(reciprocal, 1.0);
  EXPECT_LE(root, 0x1p-23);
  EXPECT_LE(inverse_root, std::exp2(-22.9));
  const float subnormal = bits_to_f32(0x00001000);
  EXPECT_BITS(RcpApproxF32<true>::apply(-subnormal), 0xff800000);
  EXPECT_BITS(RcpApproxF32<false>::apply(-0.0f), 0xff800000);
  EXPECT_BITS(RcpApproxF32<false>::apply(-infinity), 0x80000000);
  EXPECT_BITS(RcpApproxF32<true>::apply(0x1p127f), 0);  // the result is a subnormal
  EXPECT_BITS(RcpApproxF32<false>::apply(0x1p127f), 0x00400000);
  EXPECT_BITS(RsqrtApproxF32<true>::apply(subnormal), 0x7f800000);
  EXPECT_BITS(RsqrtApproxF32<true>::apply(-subnormal), 0xff800000);
  EXPECT_BITS(RsqrtApproxF32<false>::apply(-0.0f), 0xff800000);
  EXPECT_BITS(RsqrtApproxF32<false>::apply(infinity), 0);
  EXPECT_BITS(RsqrtApproxF32<false>::apply(0x1p-140f), f32_to_bits(0x1p70f));
  EXPECT_BITS(SqrtApproxF32<true>::apply(-subnormal), 0x80000000);
  EXPECT_BITS(SqrtApproxF32<false>::apply(-0.0f), 0x80000000);
  EXPECT_BITS(SqrtApproxF32<false>::apply(-1.0f), 0x7fffffff);
}

TEST(Approximate, Division) {
  double full = 0, approximate = 0;
  Random random(61);
  for_all_exponents([&](float b) {
    const float a = bits_to_f32(u32(random.bits()));
    const double truth = double(a) / b;
    if (!normal(a) || !normal(b) || !normal(truth)) return;
    full = std::max(full, ulps(DivFullF32<false>::apply(a, b), truth));
    full = std::max(full, ulps(DivFullF32<true>::apply(a, b), truth));
    if (std::fabs(b) <= 0x1p126f) {
      approximate = std::max(approximate, ulps(DivApproxF32<true>::apply(a, b), truth));
    } else {
      ASSERT_EQ(DivApproxF32<false>::apply(a, b), 0.0f);
    }
  });
  EXPECT_LE(full, 2.0);
  EXPECT_LE(approximate, 2.0);
  EXPECT_BITS(DivApproxF32<false>::apply(infinity, 0x1.8p126f), 0x7fffffff);
  EXPECT_BITS(DivFullF32<false>::apply(infinity, 0x1.8p126f), 0x7f800000);
  EXPECT_BITS(DivApproxF32<false>::apply(1.0f, -infinity), 0x80000000);
  EXPECT_BITS(DivFullF32<true>::apply(1.0f, bits_to_f32(0x80000001)), 0xff800000);
}

template <class Op>
double largest_sine_error(double bound, double (*truth)(double)) {
  double error = 0;
  for_interval(-bound, bound, [&](float a) { error = std::max(error, std::fabs(Op::apply(a) - truth(a))); });
  return error;
}
TEST(Approximate, SineAndCosine) {
  const double pi = 3.14159265358979323846;
  EXPECT_LT(largest_sine_error<SinApproxF32<true>>(2 * pi, std::sin), std::exp2(-20.5));
  EXPECT_LT(largest_sine_error<CosApproxF32<true>>(2 * pi, std::cos), std::exp2(-20.5));
  EXPECT_LT(largest_sine_error<SinApproxF32<false>>(100 * pi, std::sin), std::exp2(-14.7));
  EXPECT_LT(largest_sine_error<CosApproxF32<false>>(100 * pi, std::cos), std::exp2(-14.7));
  // Further out the error is that of the truncated product with 1/(2 pi).
  for_interval(-100000, 100000, [&](float a) {
    double turns = double(a) * 0.15915493667125702;
    turns = std::trunc(std::ldexp(turns, 23 - std::ilogb(turns))) / std::ldexp(1.0, 23 - std::ilogb(turns));
    EXPECT_NEAR(SinApproxF32<false>::apply(a), std::sin(2 * pi * (turns - std::rint(turns))), 0x1p-22);
    EXPECT_NEAR(CosApproxF32<false>::apply(a), std::cos(2 * pi * (turns - std::rint(turns))), 0x1p-22);
  });
  for_all_exponents([](float a) {
    if (std::isfinite(a)) {
      EXPECT_LE(std::fabs(SinApproxF32<false>::apply(a)), 1.0f);
      EXPECT_LE(std::fabs(CosApproxF32<false>::apply(a)), 1.0f);
    } else {
      EXPECT_BITS(SinApproxF32<false>::apply(a), 0x7fffffff);
      EXPECT_BITS(CosApproxF32<true>::apply(a), 0x7fffffff);
    }
  });
  EXPECT_BITS(SinApproxF32<false>::apply(0.0f), 0);
  EXPECT_BITS(SinApproxF32<false>::apply(-0.0f), 0x80000000);
  EXPECT_BITS(SinApproxF32<true>::apply(bits_to_f32(0x80000400)), 0x80000000);
  EXPECT_BITS(CosApproxF32<false>::apply(-0.0f), 0x3f800000);
}

TEST(Approximate, HyperbolicTangent) {
  double error = 0;
  const auto visit = [&](float a) {
    if (std::isnan(a) || a == 0) return;
    const double truth = std::tanh(double(a));
    if (normal(truth)) error = std::max(error, relative(TanhApproxF32::apply(a), truth));
  };
  for_all_exponents(visit);
  for_interval(-12, 12, visit);
  EXPECT_LT(error, 0x1p-11);           // the manual's figure
  EXPECT_LT(error, std::exp2(-22.2));  // what it is
  EXPECT_BITS(TanhApproxF32::apply(infinity), 0x3f800000);
  EXPECT_BITS(TanhApproxF32::apply(-infinity), 0xbf800000);
  EXPECT_BITS(TanhApproxF32::apply(-0.0f), 0x80000000);
  EXPECT_BITS(TanhApproxF32::apply(bits_to_f32(0x00000123)), 0x00000123);
  EXPECT_BITS(TanhApproxF32::apply(bits_to_f32(0xffc00000)), 0x7fffffff);
}

// Every operand of 16 bits: within a unit of the last place, which is nearer than 2^-9.9 (f16) and 2^-7 (bf16).
template <class Format, class Op>
void check_half(double (*truth)(double), bool ftz) {
  const FormatTable& table = Format::infinity == 0x7c00 ? f16_table() : bf16_table();
  const double smallest_normal = table.value(u32(Format::infinity & -Format::infinity));
  for (u32 a = 0; a < 0x10000; ++a) {
    const double value = half_value(table, u16(a));
    const u16 got = Op::apply(u16(a));
    if (std::isnan(value)) {
      ASSERT_EQ(got, 0x7fff);
      continue;
    }
    const double result = truth(ftz && std::fabs(value) < smallest_normal ? 0 * value : value);
    if (ftz && std::fabs(result) < smallest_normal) {
      // Flushed, unless it rounds to the smallest normal number.
      const double rounded = std::fabs(half_value(table, got));
      ASSERT_TRUE(rounded == 0 || (rounded == smallest_normal && std::fabs(result) > 0.999 * smallest_normal)) << value;
    } else if (std::isinf(half_value(table, got))) {
      ASSERT_GE(std::fabs(result), table.value(table.beyond() - 1)) << value;
    } else {
      const int exponent = result == 0 ? -1000 : std::ilogb(result);
      const double unit = std::max(std::ldexp(1.0, exponent - (Format::infinity == 0x7c00 ? 10 : 7)), table.value(1));
      ASSERT_LE(std::fabs(half_value(table, got) - result), unit) << value;
    }
  }
}
TEST(Approximate, Halves) {
  check_half<type::F16, Ex2ApproxHalf<type::F16, false>>(std::exp2, false);
  check_half<type::F16, Ex2ApproxHalf<type::F16, true>>(std::exp2, true);
  check_half<type::BF16, Ex2ApproxHalf<type::BF16, true>>(std::exp2, true);
  check_half<type::F16, TanhApproxHalf<type::F16>>(std::tanh, false);
  check_half<type::BF16, TanhApproxHalf<type::BF16>>(std::tanh, false);
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
