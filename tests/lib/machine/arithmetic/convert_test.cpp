// cvt between every pair of types. Exhaustive where the source has 16 bits.
#include "lib/machine/arithmetic/convert.h"

#include <cmath>

#include "tests/lib/machine/arithmetic/format_table.h"
#include "tests/lib/machine/arithmetic/host_rounding.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

using Big = __int128;
constexpr u64 convert_count = 20000;

// A type as the checks see it at run time. Values travel as raw bits.
struct Described {
  u32 bits;
  bool is_integer, is_signed;
  const FormatTable* table;  // of f16 and bf16
  u64 one;                   // 1.0 of a floating-point type

  Big lowest() const { return is_signed ? -(Big(1) << (bits - 1)) : Big(0); }
  Big highest() const { return (Big(1) << (is_signed ? bits - 1 : bits)) - 1; }
  // The integer in the low bits.
  Big integer(u64 stored) const {
    const Big low = Big(stored) & ((Big(1) << bits) - 1);
    return is_signed && low > highest() ? low - (Big(1) << bits) : low;
  }
  // An integer as it is stored: 8-bit ones extended to 16 bits.
  u64 stored(Big value) const {
    const Big wrapped = integer(u64(value));
    return bits == 64 ? u64(wrapped) : bits == 32 ? u32(wrapped) : u16(wrapped);
  }
  double real(u64 stored) const {
    if (table) return half_value(*table, u16(stored));
    return bits == 32 ? double(bits_to_f32(u32(stored))) : bits_to_f64(stored);
  }
};
template <class Type>
Described described() {
  if constexpr (Type::is_integer) {
    return {Type::bits, true, Type::is_signed, nullptr, 0};
  } else {
    const FormatTable* table = nullptr;
    if constexpr (Type::bits == 16) table = Type::infinity == 0x7c00 ? &f16_table() : &bf16_table();
    return {Type::bits, false, true, table, bits_of(Type::one)};
  }
}

// A conversion on raw bits.
using Conversion = u64 (*)(u64);
template <class Op>
u64 applied(u64 a) {
  if constexpr (sizeof(typename Op::A) == 2) return bits_of(Op::apply(u16(a)));
  if constexpr (sizeof(typename Op::A) == 4) return bits_of(Op::apply(__builtin_bit_cast(typename Op::A, u32(a))));
  if constexpr (sizeof(typename Op::A) == 8) return bits_of(Op::apply(__builtin_bit_cast(typename Op::A, a)));
}

// All values of a type of 16 bits, samples of a wider one; of 8 bits all, with rubbish above them.
std::vector<u64> sources(const Described& from) {
  std::vector<u64> all;
  Random random(41);
  if (from.bits == 8) {
    for (u32 a = 0; a < 2048; ++a) all.push_back(a < 256 ? a : u16(random.bits()));
  } else if (from.bits == 16) {
    for (u32 a = 0; a < 0x10000; ++a) all.push_back(a);
  } else {
    for (u64 i = 0; i < convert_count; ++i) {
      all.push_back(from.is_integer   ? (from.bits == 32 ? integer_sample<u32>(random) : integer_sample<u64>(random))
                    : from.bits == 32 ? float_sample<u32>(random, 23, 8)
                                      : float_sample<u64>(random, 52, 11));
    }
  }
  return all;
}

void check_integer_pair(const Described& to, const Described& from, Conversion plain, Conversion sat) {
  for (const u64 a : sources(from)) {
    const Big value = from.integer(a);
    const Big clamped = value < to.lowest() ? to.lowest() : value > to.highest() ? to.highest() : value;
    ASSERT_EQ(plain(a), to.stored(value)) << a;
    ASSERT_EQ(sat(a), to.stored(clamped)) << a;
  }
}

void check_integer_to_float(const Described& to, const Described& from, Rounding mode, Conversion plain,
                            Conversion sat) {
  for (const u64 a : sources(from)) {
    const Big value = from.integer(a);
    u64 expected;
    if (to.table) {
      expected = to.table->round(__float128(value), 0, mode, 16);
    } else if (to.bits == 32) {
      expected = f32_to_bits(value < 0 ? host::to_f32(i64(value), mode) : host::to_f32(u64(value), mode));
    } else {
      expected = f64_to_bits(value < 0 ? host::to_f64(i64(value), mode) : host::to_f64(u64(value), mode));
    }
    ASSERT_EQ(plain(a), expected) << a;
    ASSERT_EQ(sat(a), value > 0 ? to.one : 0) << a;
  }
}

void check_float_to_integer(const Described& to, const Described& from, Rounding mode, bool ftz,
                            Conversion conversion) {
  for (const u64 a : sources(from)) {
    double value = from.real(a);
    if (ftz && from.bits == 32 && std::fabs(value) < 0x1p-126) value = 0;
    const double whole = host::integral(value, mode);
    Big expected;
    if (std::isnan(whole)) {
      // What the manual's notes on cvt say of NaN.
      expected = from.bits != 64 && to.bits != 64 ? Big(0) : Big(1) << (to.bits - 1);
    } else if (whole <= -0x1p64 || whole >= 0x1p65) {
      expected = whole < 0 ? to.lowest() : to.highest();
    } else {
      expected = Big(whole);
      expected = expected < to.lowest() ? to.lowest() : expected > to.highest() ? to.highest() : expected;
    }
    ASSERT_EQ(conversion(a), to.stored(expected)) << std::hexfloat << value;
  }
}

template <class To, class From>
void integer_pair() {
  check_integer_pair(described<To>(), described<From>(), applied<ConvertInteger<To, From>>,
                     applied<ConvertInteger<To, From, true>>);
}
template <class To, class From, Rounding Mode>
void integer_to_float() {
  check_integer_to_float(described<To>(), described<From>(), Mode, applied<IntegerToFloat<To, From, Mode>>,
                         applied<IntegerToFloat<To, From, Mode, true>>);
}
template <class To, class From>
void integer_to_float_modes() {
  integer_to_float<To, From, Rounding::Nearest>(), integer_to_float<To, From, Rounding::Zero>();
  integer_to_float<To, From, Rounding::Down>(), integer_to_float<To, From, Rounding::Up>();
}
template <class To, class From, Rounding Mode, bool Ftz>
void float_to_integer() {
  check_float_to_integer(described<To>(), described<From>(), Mode, Ftz, applied<FloatToInteger<To, From, Mode, Ftz>>);
}
template <class To, class From>
void float_to_integer_modes() {
  float_to_integer<To, From, Rounding::Nearest, false>(), float_to_integer<To, From, Rounding::Zero, false>();
  float_to_integer<To, From, Rounding::Down, true>(), float_to_integer<To, From, Rounding::Up, false>();
  float_to_integer<To, From, Rounding::Up, true>();
}

template <class Type>
class ConvertTest : public testing::Test {};
using Integers = testing::Types<type::U8, type::S8, type::U16, type::S16, type::U32, type::S32, type::U64, type::S64>;
TYPED_TEST_SUITE(ConvertTest, Integers);

TYPED_TEST(ConvertTest, FromIntegers) {
  integer_pair<TypeParam, type::U8>(), integer_pair<TypeParam, type::S8>();
  integer_pair<TypeParam, type::U16>(), integer_pair<TypeParam, type::S16>();
  integer_pair<TypeParam, type::U32>(), integer_pair<TypeParam, type::S32>();
  integer_pair<TypeParam, type::U64>(), integer_pair<TypeParam, type::S64>();
}
TYPED_TEST(ConvertTest, ToFloats) {
  integer_to_float_modes<type::F16, TypeParam>(), integer_to_float_modes<type::BF16, TypeParam>();
  integer_to_float_modes<type::F32, TypeParam>(), integer_to_float_modes<type::F64, TypeParam>();
}
TYPED_TEST(ConvertTest, FromFloats) {
  float_to_integer_modes<TypeParam, type::F16>(), float_to_integer_modes<TypeParam, type::BF16>();
  float_to_integer_modes<TypeParam, type::F32>(), float_to_integer_modes<TypeParam, type::F64>();
}

// To 16 bits: plain, .relu, .satfinite, .sat, .ftz.
struct ToHalf {
  Conversion plain, relu, satfinite, sat, ftz;
};
void check_to_half(const Described& to, const Described& from, Rounding mode, const ToHalf& got) {
  const u64 infinity = to.table->beyond(), largest = infinity - 1;
  for (const u64 a : sources(from)) {
    const double value = from.real(a);
    const bool nan = std::isnan(value);
    const auto rounded_of = [&](double x) -> u64 {
      if (nan) return 0x7fff;
      if (std::isinf(x)) return infinity | (x < 0 ? 0x8000 : 0);
      return to.table->round(x, 0, mode, 16, std::signbit(x));
    };
    const u64 rounded = rounded_of(value), sign = rounded & 0x8000;
    const bool negative = !nan && sign;
    ASSERT_EQ(got.plain(a), rounded) << std::hexfloat << value;
    ASSERT_EQ(got.relu(a), negative ? 0 : rounded) << std::hexfloat << value;
    ASSERT_EQ(got.satfinite(a), (rounded ^ sign) == infinity ? sign | largest : rounded) << std::hexfloat << value;
    ASSERT_EQ(got.sat(a), nan || negative ? 0 : rounded > to.one ? to.one : rounded) << std::hexfloat << value;
    const bool flushed = from.bits == 32 && std::fabs(value) < 0x1p-126;
    ASSERT_EQ(got.ftz(a), rounded_of(flushed ? std::copysign(0.0, value) : value)) << std::hexfloat << value;
  }
}
template <class To, class From, Rounding Mode>
void to_half_mode() {
  check_to_half(
      described<To>(), described<From>(), Mode,
      {applied<ConvertFloat<To, From, Mode>>, applied<ConvertFloat<To, From, Mode, FloatModifiers{.relu = true}>>,
       applied<ConvertFloat<To, From, Mode, FloatModifiers{.satfinite = true}>>,
       applied<ConvertFloat<To, From, Mode, FloatModifiers{.sat = true}>>,
       applied<ConvertFloat<To, From, Mode, FloatModifiers{.ftz = true}>>});
}
template <class To, class From>
void to_half_modes() {
  to_half_mode<To, From, Rounding::Nearest>(), to_half_mode<To, From, Rounding::Zero>();
  to_half_mode<To, From, Rounding::Down>(), to_half_mode<To, From, Rounding::Up>();
}
TEST(Convert, F16) {
  to_half_modes<type::F16, type::F16>(), to_half_modes<type::F16, type::BF16>();
  to_half_modes<type::F16, type::F32>(), to_half_modes<type::F16, type::F64>();
}
TEST(Convert, BF16) {
  to_half_modes<type::BF16, type::F16>(), to_half_modes<type::BF16, type::BF16>();
  to_half_modes<type::BF16, type::F32>(), to_half_modes<type::BF16, type::F64>();
}

TEST(Convert, HalvesToFloatAreExact) {
  for (u32 a = 0; a < 0x10000; ++a) {
    const double f16 = half_value(f16_table(), u16(a)), bf16 = half_value(bf16_table(), u16(a));
    const float from_f16 = ConvertFloat<type::F32, type::F16>::apply(u16(a));
    const float from_bf16 = ConvertFloat<type::F32, type::BF16>::apply(u16(a));
    ASSERT_EQ(f32_to_bits(from_f16), std::isnan(f16) ? 0x7fffffff : f32_to_bits(float(f16)));
    ASSERT_EQ(f32_to_bits(from_bf16), a << 16);
    ASSERT_TRUE(std::isnan(bf16) ? std::isnan(from_bf16) : bf16 == double(from_bf16));
    const double wide = ConvertFloat<type::F64, type::F16>::apply(u16(a));
    ASSERT_TRUE(std::isnan(f16) ? std::isnan(wide) : f64_to_bits(wide) == f64_to_bits(f16));
    const float flushed =
        ConvertFloat<type::F32, type::BF16, Rounding::Nearest, FloatModifiers{.ftz = true}>::apply(u16(a));
    ASSERT_EQ(f32_to_bits(flushed), (a & 0x7f80) == 0 ? (a & 0x8000) << 16 : a << 16);
  }
}

template <Rounding Mode>
void check_f64_to_f32() {
  check_one<ConvertFloat<type::F32, type::F64, Mode>>("cvt.f32.f64", 2 * convert_count, [](double a) {
    return std::isnan(a) ? bits_to_f32(0x7fffffff) : host::to_f32(a, Mode);
  });
  check_one<ConvertFloat<type::F32, type::F64, Mode, FloatModifiers{.ftz = true, .sat = true}>>(
      "cvt.ftz.sat.f32.f64", convert_count, [](double a) {
        const float value = host::to_f32(a, Mode);
        if (std::isnan(value) || value <= 0 || std::fpclassify(value) == FP_SUBNORMAL) return 0.0f;
        return value > 1 ? 1.0f : value;
      });
}
TEST(Convert, F64ToF32) {
  check_f64_to_f32<Rounding::Nearest>();
  check_f64_to_f32<Rounding::Zero>();
  check_f64_to_f32<Rounding::Down>();
  check_f64_to_f32<Rounding::Up>();
}
TEST(Convert, F32ToF64) {
  using Plain = ConvertFloat<type::F64, type::F32>;
  using Flushing = ConvertFloat<type::F64, type::F32, Rounding::Nearest, FloatModifiers{.ftz = true}>;
  using Saturating = ConvertFloat<type::F64, type::F32, Rounding::Nearest, FloatModifiers{.sat = true}>;
  check_one<Plain>("cvt.f64.f32", convert_count, [](float a) { return double(a); });
  check_one<Flushing>("cvt.ftz.f64.f32", convert_count, [](float a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? double(std::copysign(0.0f, a)) : double(a);
  });
  check_one<Saturating>("cvt.sat.f64.f32", convert_count,
                        [](float a) { return a > 0 ? (a > 1 ? 1.0 : double(a)) : 0.0; });
}

template <Rounding Mode>
void check_integral() {
  constexpr FloatModifiers modifiers{.integral = true};
  check_one<ConvertFloat<type::F32, type::F32, Mode, modifiers>>("cvt.r?i.f32.f32", convert_count, [](float a) {
    return std::isnan(a) ? bits_to_f32(0x7fffffff) : host::integral(a, Mode);
  });
  check_one<ConvertFloat<type::F64, type::F64, Mode, modifiers>>(
      "cvt.r?i.f64.f64", convert_count, [](double a) { return std::isnan(a) ? a : host::integral(a, Mode); });
  for (u32 a = 0; a < 0x10000; ++a) {
    const double value = half_value(f16_table(), u16(a));
    const u16 got = ConvertFloat<type::F16, type::F16, Mode, modifiers>::apply(u16(a));
    if (std::isnan(value)) {
      ASSERT_EQ(got, 0x7fff);
    } else {
      ASSERT_EQ(f64_to_bits(half_value(f16_table(), got)), f64_to_bits(host::integral(value, Mode))) << value;
    }
  }
}
TEST(Convert, ToIntegralValues) {
  check_integral<Rounding::Nearest>();
  check_integral<Rounding::Zero>();
  check_integral<Rounding::Down>();
  check_integral<Rounding::Up>();
}

TEST(Convert, PackedPutsTheFirstOperandHigh) {
  EXPECT_EQ((Pack<ConvertFloat<type::BF16, type::F32>>::apply(1.0f, 2.0f)), 0x3f804000u);
  EXPECT_EQ((Pack<ConvertFloat<type::F16, type::F32>>::apply(1.0f, -2.0f)), 0x3c00c000u);
  EXPECT_EQ(
      (Pack<ConvertFloat<type::BF16, type::F32, Rounding::Nearest, FloatModifiers{.relu = true}>>::apply(-1.0f, 2.0f)),
      0x00004000u);
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
