// f16 and bf16 arithmetic against exact sums and products, rounded by search in the list of all values.
#include "lib/machine/arithmetic/half.h"

#include <cmath>

#include "tests/lib/machine/arithmetic/format_table.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

template <class Format>
const FormatTable& table() {
  return Format::infinity == 0x7c00 ? f16_table() : bf16_table();
}
template <class Format>
double value_of(u16 bits) {
  return half_value(table<Format>(), bits);
}
template <class Format>
u16 flush(u16 bits, bool on) {
  return on && std::fabs(value_of<Format>(bits)) < table<Format>().value(u32(Format::infinity & -Format::infinity))
             ? bits & 0x8000
             : bits;
}
// The modifiers, one value at a time.
template <class Format>
u16 finish(u16 bits, bool ftz, bool sat, bool relu) {
  bits = flush<Format>(bits, ftz);
  const double value = value_of<Format>(bits);
  if (sat) return std::isnan(value) || value <= 0 ? 0 : value > 1 ? Format::one : bits;
  if (std::isnan(value)) return 0x7fff;
  return relu && std::signbit(value) ? 0 : bits;
}
// x + y exactly, rounded; IEEE's rules for infinities, NaN and the sign of zero are the host's in double.
template <class Format>
u16 rounded_sum_of(double x, double y) {
  const double plain = x + y;
  if (std::isnan(plain)) return 0x7fff;
  if (std::isinf(plain)) return Format::infinity | (plain < 0 ? 0x8000 : 0);
  const __float128 a = x, b = y, sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  return u16(table<Format>().round(sum, error, Rounding::Nearest, 16, std::signbit(plain)));
}

template <class Format>
u16 sample(Random& random) {
  return Format::infinity == 0x7c00 ? float_sample<u16>(random, 10, 5) : float_sample<u16>(random, 7, 8);
}

template <class Format, bool Ftz, bool Sat, bool Relu>
void check_arithmetic() {
  Random random(31 + Ftz + 2 * Sat + 4 * Relu);
  const auto in = [](u16 bits) { return value_of<Format>(flush<Format>(bits, Ftz)); };
  const auto out = [](u16 bits) { return finish<Format>(bits, Ftz, Sat, Relu); };
  for (u64 i = 0; i < 25000; ++i) {
    const u16 a = sample<Format>(random), b = sample<Format>(random);
    u16 c = sample<Format>(random);
    const u16 product = MulHalf<Format>::apply(a, b);
    if (random.below(3) == 0) c = u16((product + random.below(3) - 1) ^ 0x8000);  // near cancellation
    ASSERT_EQ((AddHalf<Format, Ftz, Sat, Relu>::apply(a, b)), out(rounded_sum_of<Format>(in(a), in(b))))
        << std::hex << a << " + " << b;
    ASSERT_EQ((SubHalf<Format, Ftz, Sat, Relu>::apply(a, b)), out(rounded_sum_of<Format>(in(a), -in(b))))
        << std::hex << a << " - " << b;
    // A product of 22 bits is exact in double; adding a zero of its sign only rounds.
    const double exact = in(a)*in(b);
    ASSERT_EQ((MulHalf<Format, Ftz, Sat, Relu>::apply(a, b)),
              out(rounded_sum_of<Format>(exact, std::copysign(0.0, exact))))
        << std::hex << a << " * " << b;
    ASSERT_EQ((FmaHalf<Format, Ftz, Sat, Relu>::apply(a, b, c)), out(rounded_sum_of<Format>(exact, in(c))))
        << std::hex << a << " * " << b << " + " << c;
  }
}
template <class Format>
void check_all_arithmetic() {
  check_arithmetic<Format, false, false, false>();
  check_arithmetic<Format, true, false, false>();
  check_arithmetic<Format, false, true, false>();
  check_arithmetic<Format, true, true, false>();
  check_arithmetic<Format, false, false, true>();
}
TEST(Half, F16) { check_all_arithmetic<type::F16>(); }
TEST(Half, BF16) { check_all_arithmetic<type::BF16>(); }

// The middle of two bf16 numbers plus or minus something tiny: rounding twice would fall on the tie.
TEST(Half, FusedProductIsRoundedOnce) {
  // 1.0078125 * 1.0078125 = 1.01568603515625; with c = 2^-133 (0x0001) nothing visible changes.
  EXPECT_EQ(FmaHalf<type::BF16>::apply(0x3f81, 0x3f81, 0x0001), FmaHalf<type::BF16>::apply(0x3f81, 0x3f81, 0));
  // 3 * 43 = 129, and 129 * 2 + 0 = 258 is exact; 257 = 257 * 1 lies between 256 and 258.
  const u16 x = 0x4380, one = 0x3f80;                                     // 256, 1
  EXPECT_EQ(FmaHalf<type::BF16>::apply(x, one, one), x);                  // 257: tie to even
  EXPECT_EQ(FmaHalf<type::BF16>::apply(0x3f81, 0x3fc0, 0x0001), 0x3fc2);  // 1.51171875 + tiny: above the tie
  EXPECT_EQ(FmaHalf<type::BF16>::apply(0x3f81, 0x3fc0, 0x8001), 0x3fc1);  // and below it
}

template <class Format>
void check_order() {
  Random random(37);
  const auto choose = [](u16 a, u16 b, bool maximum) -> u16 {
    const double x = value_of<Format>(a), y = value_of<Format>(b);
    if (std::isnan(x)) return std::isnan(y) ? 0x7fff : b;
    if (std::isnan(y)) return a;
    const bool a_first = x < y || (x == y && std::signbit(x));
    return a_first != maximum ? a : b;
  };
  for (u64 i = 0; i < 25000; ++i) {
    const u16 a = sample<Format>(random), b = random.below(3) ? sample<Format>(random) : u16(a + random.below(3) - 1);
    const bool any_nan = std::isnan(value_of<Format>(a)) || std::isnan(value_of<Format>(b));
    const u16 fa = flush<Format>(a, true), fb = flush<Format>(b, true);
    ASSERT_EQ(MinHalf<Format>::apply(a, b), choose(a, b, false)) << std::hex << a << " " << b;
    ASSERT_EQ(MaxHalf<Format>::apply(a, b), choose(a, b, true)) << std::hex << a << " " << b;
    ASSERT_EQ((MinHalf<Format, true>::apply(a, b)), choose(fa, fb, false)) << std::hex << a << " " << b;
    ASSERT_EQ((MaxHalf<Format, false, true>::apply(a, b)), any_nan ? 0x7fff : choose(a, b, true));
    const u16 magnitude = choose(a & 0x7fff, b & 0x7fff, false), sign = (a ^ b) & 0x8000;
    ASSERT_EQ((MinHalf<Format, false, false, true>::apply(a, b)), magnitude == 0x7fff ? magnitude : magnitude | sign)
        << std::hex << a << " " << b;
  }
}
TEST(Half, MinimumAndMaximum) {
  check_order<type::F16>();
  check_order<type::BF16>();
}

template <class Format>
void check_unary() {
  for (u32 a = 0; a < 0x10000; ++a) {
    ASSERT_EQ(NegHalf<Format>::apply(u16(a)), a < 0x8000 ? a + 0x8000 : a - 0x8000);
    ASSERT_EQ(AbsHalf<Format>::apply(u16(a)), a % 0x8000);
    ASSERT_EQ((AbsHalf<Format, true>::apply(u16(a))), flush<Format>(u16(a), true) % 0x8000);
    ASSERT_EQ((NegHalf<Format, true>::apply(u16(a))), flush<Format>(u16(a), true) ^ 0x8000);
  }
}
TEST(Half, Signs) {
  check_unary<type::F16>();
  check_unary<type::BF16>();
}

TEST(Half, Pairs) {
  using type::F16;
  check_three<Halves3<FmaHalf<F16>>>("fma.f16x2", sample_count / 4, [](u32 a, u32 b, u32 c) {
    return u32(FmaHalf<F16>::apply(u16(a), u16(b), u16(c))) |
           u32(FmaHalf<F16>::apply(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16;
  });
  check_one<Halves1<NegHalf<F16>>>("neg.f16x2", sample_count / 4, [](u32 a) { return a ^ 0x80008000u; });
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
