// f32 and f64 arithmetic against the host's, in all four directions of rounding.
#include <cmath>

#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/arithmetic/float64.h"
#include "tests/lib/machine/arithmetic/host_rounding.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

constexpr u64 float_count = 60000;

// What a modifier does, written for one value at a time.
float ftz(float a, bool on) { return on && std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
float sat(float a, bool on) {
  if (!on) return a;
  if (std::isnan(a) || a <= 0) return 0.0f;
  return a > 1 ? 1.0f : a;
}
float finish(float a, bool flush, bool saturate) {
  if (std::isnan(a) && !saturate) return bits_to_f32(0x7fffffff);
  return sat(ftz(a, flush), saturate);
}

template <Rounding Mode, bool Ftz, bool Sat>
void check_f32_sums() {
  check_two<AddF32<Mode, Ftz, Sat>>("add.f32", float_count, [](float a, float b) {
    return finish(host::sum(ftz(a, Ftz), ftz(b, Ftz), Mode), Ftz, Sat);
  });
  check_two<SubF32<Mode, Ftz, Sat>>("sub.f32", float_count, [](float a, float b) {
    return finish(host::sum(ftz(a, Ftz), -ftz(b, Ftz), Mode), Ftz, Sat);
  });
  check_two<MulF32<Mode, Ftz, Sat>>("mul.f32", float_count, [](float a, float b) {
    return finish(host::product(ftz(a, Ftz), ftz(b, Ftz), Mode), Ftz, Sat);
  });
  check_three<FmaF32<Mode, Ftz, Sat>>("fma.f32", float_count, [](float a, float b, float c) {
    return finish(host::fused(ftz(a, Ftz), ftz(b, Ftz), ftz(c, Ftz), Mode), Ftz, Sat);
  });
}
template <Rounding Mode, bool Ftz>
void check_f32_quotients() {
  check_two<DivF32<Mode, Ftz>>("div.f32", float_count, [](float a, float b) {
    return finish(host::quotient(ftz(a, Ftz), ftz(b, Ftz), Mode), Ftz, false);
  });
  check_one<RcpF32<Mode, Ftz>>("rcp.f32", float_count,
                               [](float a) { return finish(host::quotient(1.0f, ftz(a, Ftz), Mode), Ftz, false); });
  check_one<SqrtF32<Mode, Ftz>>("sqrt.f32", float_count,
                                [](float a) { return finish(host::root(ftz(a, Ftz), Mode), Ftz, false); });
}
template <Rounding Mode>
void check_f32() {
  check_f32_sums<Mode, false, false>();
  check_f32_sums<Mode, true, false>();
  check_f32_sums<Mode, false, true>();
  check_f32_sums<Mode, true, true>();
  check_f32_quotients<Mode, false>();
  check_f32_quotients<Mode, true>();
}
TEST(Float32, RoundToNearest) { check_f32<Rounding::Nearest>(); }
TEST(Float32, RoundToZero) { check_f32<Rounding::Zero>(); }
TEST(Float32, RoundDown) { check_f32<Rounding::Down>(); }
TEST(Float32, RoundUp) { check_f32<Rounding::Up>(); }

// f64 keeps some NaN; which of two is not promised, so that any is as good.
template <class Op, class Expected>
void check_f64(const char* name, Expected expected) {
  Random random(17);
  for (u64 i = 0; i < float_count; ++i) {
    const double a = Sample<double>::draw(random), b = related_sample(random, a);
    double c = Sample<double>::draw(random);
    if (random.below(4) == 0) c = related_sample(random, -(a * b));
    double got;
    if constexpr (requires { typename Op::C; }) {
      got = Op::apply(a, b, c);
    } else if constexpr (requires { typename Op::B; }) {
      got = Op::apply(a, b);
    } else {
      got = Op::apply(a);
    }
    const double wanted = expected(a, b, c);
    if (std::isnan(wanted) && std::isnan(got)) continue;
    ASSERT_EQ(f64_to_bits(got), f64_to_bits(wanted)) << name << " " << std::hexfloat << a << " " << b << " " << c;
  }
}
template <Rounding Mode>
void check_f64_all() {
  check_f64<AddF64<Mode>>("add.f64", [](double a, double b, double) { return host::sum(a, b, Mode); });
  check_f64<SubF64<Mode>>("sub.f64", [](double a, double b, double) { return host::sum(a, -b, Mode); });
  check_f64<MulF64<Mode>>("mul.f64", [](double a, double b, double) { return host::product(a, b, Mode); });
  check_f64<FmaF64<Mode>>("fma.f64", [](double a, double b, double c) { return host::fused(a, b, c, Mode); });
  check_f64<DivF64<Mode>>("div.f64", [](double a, double b, double) { return host::quotient(a, b, Mode); });
  check_f64<RcpF64<Mode>>("rcp.f64", [](double a, double, double) { return host::quotient(1.0, a, Mode); });
  check_f64<SqrtF64<Mode>>("sqrt.f64", [](double a, double, double) { return host::root(a, Mode); });
}
TEST(Float64, RoundToNearest) { check_f64_all<Rounding::Nearest>(); }
TEST(Float64, RoundToZero) { check_f64_all<Rounding::Zero>(); }
TEST(Float64, RoundDown) { check_f64_all<Rounding::Down>(); }
TEST(Float64, RoundUp) { check_f64_all<Rounding::Up>(); }
TEST(Float64, KeepsThePayloadOfNaN) {
  const double nan = bits_to_f64(0x7ff8000000001234);
  EXPECT_EQ(f64_to_bits(AddF64<Rounding::Nearest>::apply(nan, 1.0)), 0x7ff8000000001234u);
  EXPECT_EQ(f64_to_bits(FmaF64<Rounding::Up>::apply(1.0, nan, 1.0)), 0x7ff8000000001234u);
}

// The lesser and the greater of two numbers in the total order where -0 < +0; NaN loses.
template <class F>
F chosen(F a, F b, bool maximum, F both_nan) {
  if (std::isnan(a) && std::isnan(b)) return both_nan;
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  const bool a_first = a < b || (a == b && std::signbit(a));
  return a_first != maximum ? a : b;
}
const float nan_f32 = bits_to_f32(0x7fffffff);

template <bool Maximum, bool Ftz>
void check_f32_order() {
  const auto plain = [](float a, float b) { return chosen(ftz(a, Ftz), ftz(b, Ftz), Maximum, nan_f32); };
  const auto propagated = [&](float a, float b) { return std::isnan(a) || std::isnan(b) ? nan_f32 : plain(a, b); };
  const auto of_magnitudes = [](auto choose) {
    return [choose](float a, float b) {
      const float result = choose(std::fabs(a), std::fabs(b));
      if (std::isnan(result)) return result;
      return std::signbit(a) != std::signbit(b) ? -result : result;
    };
  };
  check_two<ExtremeF32<Maximum, Ftz, false, false>>("min/max", float_count, plain);
  check_two<ExtremeF32<Maximum, Ftz, true, false>>("min/max.NaN", float_count, propagated);
  check_two<ExtremeF32<Maximum, Ftz, false, true>>("min/max.xorsign.abs", float_count, of_magnitudes(plain));
  check_two<ExtremeF32<Maximum, Ftz, true, true>>("min/max.NaN.xorsign.abs", float_count, of_magnitudes(propagated));
}
TEST(Float32, MinimumAndMaximum) {
  check_f32_order<false, false>();
  check_f32_order<false, true>();
  check_f32_order<true, false>();
  check_f32_order<true, true>();
}
TEST(Float64, MinimumAndMaximum) {
  const double nan = bits_to_f64(0x7fffffffffffffff);
  check_two<MinF64>("min.f64", float_count, [&](double a, double b) { return chosen(a, b, false, nan); });
  check_two<MaxF64>("max.f64", float_count, [&](double a, double b) { return chosen(a, b, true, nan); });
}

TEST(Float32, Signs) {
  check_one<AbsF32<false>>("abs", float_count, [](float a) { return std::fabs(a); });
  check_one<AbsF32<true>>("abs.ftz", float_count, [](float a) { return std::fabs(ftz(a, true)); });
  check_one<NegF32<false>>("neg", float_count, [](float a) { return -a; });
  check_one<NegF32<true>>("neg.ftz", float_count, [](float a) { return -ftz(a, true); });
  check_two<CopysignF32>("copysign", float_count, [](float a, float b) { return std::copysign(b, a); });
}
TEST(Float64, Signs) {
  check_one<AbsF64>("abs", float_count, [](double a) { return std::fabs(a); });
  check_one<NegF64>("neg", float_count, [](double a) { return -a; });
  check_two<CopysignF64>("copysign", float_count, [](double a, double b) { return std::copysign(b, a); });
}

TEST(Float64, GrossApproximations) {
  Random random(23);
  for (u64 i = 0; i < float_count; ++i) {
    const double a = Sample<double>::draw(random);
    const double reciprocal = RcpApproxF64::apply(a), root = RsqrtApproxF64::apply(a);
    EXPECT_EQ(u32(f64_to_bits(reciprocal)), 0u);
    EXPECT_EQ(u32(f64_to_bits(root)), 0u);
    if (std::isnan(a)) {
      EXPECT_TRUE(std::isnan(reciprocal) && std::isnan(root));
    } else if (std::fpclassify(a) == FP_SUBNORMAL || a == 0) {
      EXPECT_EQ(reciprocal, std::copysign(INFINITY, a));
      EXPECT_EQ(root, std::copysign(INFINITY, a));
    } else if (std::isnormal(a) && std::fabs(a) < 0x1p1022) {
      EXPECT_LT(std::fabs(reciprocal * a - 1), 0x1p-18) << a;
      if (a > 0) {
        EXPECT_LT(std::fabs(root * root * a - 1), 0x1p-17) << a;
      } else {
        EXPECT_TRUE(std::isnan(root));
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
