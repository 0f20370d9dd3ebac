// cvt between every pair of types. Exhaustive where the source has 16 bits.
#include "lib/machine/arithmetic/convert.h"

#include <cmath>

#include "tests/lib/machine/arithmetic/format_table.h"
#include "tests/lib/machine/arithmetic/host_rounding.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

using Big = __int128;
constexpr u64 convert_count = 30000;

template <class Type>
Big lowest() {
  return Type::is_signed ? -(Big(1) << (Type::bits - 1)) : Big(0);
}
template <class Type>
Big highest() {
  return (Big(1) << (Type::is_signed ? Type::bits - 1 : Type::bits)) - 1;
}
// A stored integer by its low bits, and an integer's storage.
template <class Type>
Big integer_value(typename Type::Storage stored) {
  return Big(typename Type::Value(stored));
}
template <class Type>
typename Type::Storage integer_storage(Big value) {
  return typename Type::Storage(typename Type::Value(value));
}
template <class Type>
double float_value(typename Type::Storage stored) {
  if constexpr (std::is_same_v<Type, type::F16>) {
    return half_value(f16_table(), stored);
  } else if constexpr (std::is_same_v<Type, type::BF16>) {
    return half_value(bf16_table(), stored);
  } else {
    return double(stored);
  }
}

// All values of a 16-bit source, else samples.
template <class Type, class Check>
void for_sources(Check check) {
  if constexpr (sizeof(typename Type::Storage) == 2) {
    for (u32 a = 0; a < 0x10000 && !testing::Test::HasFatalFailure(); ++a) check(u16(a));
  } else {
    Random random(41);
    for (u64 i = 0; i < convert_count && !testing::Test::HasFatalFailure(); ++i) {
      check(Sample<typename Type::Storage>::draw(random));
    }
  }
}

template <class To, class From>
void check_integer_pair() {
  for_sources<From>([](auto a) {
    const Big value = integer_value<From>(a);
    ASSERT_EQ((ConvertInteger<To, From>::apply(a)), integer_storage<To>(value)) << u64(a);
    const Big clamped = value < lowest<To>() ? lowest<To>() : value > highest<To>() ? highest<To>() : value;
    ASSERT_EQ((ConvertInteger<To, From, true>::apply(a)), integer_storage<To>(clamped)) << u64(a);
  });
}

// To f16 or bf16 from an exact value.
template <class To>
u16 rounded_half(__float128 value, Rounding mode, bool negative_zero) {
  return u16((std::is_same_v<To, type::F16> ? f16_table() : bf16_table()).round(value, 0, mode, 16, negative_zero));
}
template <class To, class From, Rounding Mode>
void check_integer_to_float() {
  for_sources<From>([](auto a) {
    const Big value = integer_value<From>(a);
    const auto got = IntegerToFloat<To, From, Mode>::apply(a);
    if constexpr (To::bits == 16) {
      ASSERT_EQ(got, rounded_half<To>(__float128(value), Mode, false)) << u64(a);
    } else if constexpr (To::bits == 32) {
      ASSERT_EQ(got, value < 0 ? host::to_f32(i64(value), Mode) : host::to_f32(u64(value), Mode)) << u64(a);
    } else {
      ASSERT_EQ(got, value < 0 ? host::to_f64(i64(value), Mode) : host::to_f64(u64(value), Mode)) << u64(a);
    }
    const auto saturated = IntegerToFloat<To, From, Mode, true>::apply(a);
    ASSERT_EQ(saturated, value > 0 ? To::one : typename To::Storage(0)) << u64(a);
  });
}
template <class To, class From>
void check_integer_to_float_modes() {
  check_integer_to_float<To, From, Rounding::Nearest>();
  check_integer_to_float<To, From, Rounding::Zero>();
  check_integer_to_float<To, From, Rounding::Down>();
  check_integer_to_float<To, From, Rounding::Up>();
}

// What the manual's notes on cvt say of NaN.
template <class To, class From>
Big of_nan() {
  if (From::bits != 64 && To::bits != 64) return 0;
  return Big(1) << (To::bits - 1);
}
template <class To, class From, Rounding Mode, bool Ftz>
void check_float_to_integer() {
  for_sources<From>([](auto a) {
    double value = float_value<From>(a);
    if (Ftz && From::bits == 32 && std::fabs(value) < 0x1p-126) value = 0;
    const double whole = host::integral(value, Mode);
    Big expected;
    if (std::isnan(whole)) {
      expected = of_nan<To, From>();
    } else if (whole <= -0x1p64 || whole >= 0x1p65) {
      expected = whole < 0 ? lowest<To>() : highest<To>();
    } else {
      expected = Big(whole);
      expected = expected < lowest<To>() ? lowest<To>() : expected > highest<To>() ? highest<To>() : expected;
    }
    ASSERT_EQ((FloatToInteger<To, From, Mode, Ftz>::apply(a)), integer_storage<To>(expected)) << std::hexfloat << value;
  });
}
template <class To, class From>
void check_float_to_integer_modes() {
  check_float_to_integer<To, From, Rounding::Nearest, false>();
  check_float_to_integer<To, From, Rounding::Zero, false>();
  check_float_to_integer<To, From, Rounding::Down, true>();
  check_float_to_integer<To, From, Rounding::Up, false>();
  check_float_to_integer<To, From, Rounding::Up, true>();
}

template <class Type>
class ConvertTest : public testing::Test {};
using Integers = testing::Types<type::U8, type::S8, type::U16, type::S16, type::U32, type::S32, type::U64, type::S64>;
TYPED_TEST_SUITE(ConvertTest, Integers);

TYPED_TEST(ConvertTest, FromIntegers) {
  check_integer_pair<TypeParam, type::U8>(), check_integer_pair<TypeParam, type::S8>();
  check_integer_pair<TypeParam, type::U16>(), check_integer_pair<TypeParam, type::S16>();
  check_integer_pair<TypeParam, type::U32>(), check_integer_pair<TypeParam, type::S32>();
  check_integer_pair<TypeParam, type::U64>(), check_integer_pair<TypeParam, type::S64>();
}
TYPED_TEST(ConvertTest, ToFloats) {
  check_integer_to_float_modes<type::F16, TypeParam>();
  check_integer_to_float_modes<type::BF16, TypeParam>();
  check_integer_to_float_modes<type::F32, TypeParam>();
  check_integer_to_float_modes<type::F64, TypeParam>();
}
TYPED_TEST(ConvertTest, FromFloats) {
  check_float_to_integer_modes<TypeParam, type::F16>();
  check_float_to_integer_modes<TypeParam, type::BF16>();
  check_float_to_integer_modes<TypeParam, type::F32>();
  check_float_to_integer_modes<TypeParam, type::F64>();
}

// To 16 bits with every modifier.
template <class To, class From, Rounding Mode>
void check_to_half() {
  for_sources<From>([](auto a) {
    const double value = float_value<From>(a);
    u16 rounded = 0x7fff;
    if (std::isinf(value)) {
      rounded = u16(To::infinity | (value < 0 ? 0x8000 : 0));
    } else if (!std::isnan(value)) {
      rounded = rounded_half<To>(value, Mode, std::signbit(value));
    }
    const bool nan = std::isnan(value), infinite = (rounded & 0x7fff) == To::infinity;
    ASSERT_EQ((ConvertFloat<To, From, Mode>::apply(a)), rounded) << std::hexfloat << value;
    ASSERT_EQ((ConvertFloat<To, From, Mode, FloatModifiers{.relu = true}>::apply(a)),
              !nan && (rounded & 0x8000) ? 0 : rounded)
        << std::hexfloat << value;
    ASSERT_EQ((ConvertFloat<To, From, Mode, FloatModifiers{.satfinite = true}>::apply(a)),
              infinite ? (rounded & 0x8000) | To::largest : rounded)
        << std::hexfloat << value;
    ASSERT_EQ((ConvertFloat<To, From, Mode, FloatModifiers{.sat = true}>::apply(a)), nan || (rounded & 0x8000) ? 0
                                                                                     : rounded > To::one       ? To::one
                                                                                                         : rounded)
        << std::hexfloat << value;
    if constexpr (From::bits == 32) {
      const double flushed = std::fabs(value) < 0x1p-126 ? std::copysign(0.0, value) : value;
      const u16 expected = nan                 ? 0x7fff
                           : std::isinf(value) ? rounded
                                               : rounded_half<To>(flushed, Mode, std::signbit(value));
      ASSERT_EQ((ConvertFloat<To, From, Mode, FloatModifiers{.ftz = true}>::apply(a)), expected);
    }
  });
}
template <class To, class From>
void check_to_half_modes() {
  check_to_half<To, From, Rounding::Nearest>();
  check_to_half<To, From, Rounding::Zero>();
  check_to_half<To, From, Rounding::Down>();
  check_to_half<To, From, Rounding::Up>();
}
TEST(Convert, F16) {
  check_to_half_modes<type::F16, type::F16>(), check_to_half_modes<type::F16, type::BF16>();
  check_to_half_modes<type::F16, type::F32>(), check_to_half_modes<type::F16, type::F64>();
}
TEST(Convert, BF16) {
  check_to_half_modes<type::BF16, type::F16>(), check_to_half_modes<type::BF16, type::BF16>();
  check_to_half_modes<type::BF16, type::F32>(), check_to_half_modes<type::BF16, type::F64>();
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
