// Integer arithmetic against 128-bit host arithmetic.
#include "lib/machine/arithmetic/integer.h"

#include "lib/machine/arithmetic/divide.h"
#include "lib/machine/arithmetic/dot.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

using Big = __int128;

template <class Type>
Big big(typename Type::Storage a) {
  return Type::is_signed ? Big(i64(typename Type::Value(a))) : Big(u64(typename Type::Value(a)));
}
template <class Type>
Big lowest() {
  return Type::is_signed ? -(Big(1) << (Type::bits - 1)) : Big(0);
}
template <class Type>
Big highest() {
  return (Big(1) << (Type::is_signed ? Type::bits - 1 : Type::bits)) - 1;
}
Big clamped(Big value, Big low, Big high) { return value < low ? low : value > high ? high : value; }
// The 256-bit product is not needed: the upper half of a 64-bit product fits after a shift.
template <class Type>
Big product_high(Big a, Big b) {
  if (Type::is_signed) return (a * b) >> Type::bits;
  return Big((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> Type::bits);
}

template <class Type>
class IntegerTest : public testing::Test {};
using IntegerTypes = testing::Types<type::U16, type::S16, type::U32, type::S32, type::U64, type::S64>;
TYPED_TEST_SUITE(IntegerTest, IntegerTypes);

TYPED_TEST(IntegerTest, SumsAndProducts) {
  using Type = TypeParam;
  using U = typename Type::Storage;
  check_two<Add<Type>>("add", sample_count, [](U a, U b) { return U(big<Type>(a) + big<Type>(b)); });
  check_two<Sub<Type>>("sub", sample_count, [](U a, U b) { return U(big<Type>(a) - big<Type>(b)); });
  check_two<MulLo<Type>>("mul.lo", sample_count, [](U a, U b) {
    return U(static_cast<unsigned __int128>(big<Type>(a)) * static_cast<unsigned __int128>(big<Type>(b)));
  });
  check_two<MulHi<Type>>("mul.hi", sample_count,
                         [](U a, U b) { return U(product_high<Type>(big<Type>(a), big<Type>(b))); });
  check_three<MadLo<Type>>("mad.lo", sample_count, [](U a, U b, U c) {
    return U(static_cast<unsigned __int128>(big<Type>(a)) * static_cast<unsigned __int128>(big<Type>(b)) + c);
  });
  check_three<MadHi<Type>>("mad.hi", sample_count,
                           [](U a, U b, U c) { return U(product_high<Type>(big<Type>(a), big<Type>(b)) + c); });
}

TYPED_TEST(IntegerTest, OneOperandAndOrder) {
  using Type = TypeParam;
  using U = typename Type::Storage;
  check_one<Neg<Type>>("neg", sample_count, [](U a) { return U(-big<Type>(a)); });
  check_one<Abs<Type>>("abs", sample_count, [](U a) { return U(big<Type>(a) < 0 ? -big<Type>(a) : big<Type>(a)); });
  check_two<Min<Type>>("min", sample_count, [](U a, U b) { return big<Type>(a) <= big<Type>(b) ? a : b; });
  check_two<Max<Type>>("max", sample_count, [](U a, U b) { return big<Type>(a) >= big<Type>(b) ? a : b; });
  check_two<Min<Type, true>>("min.relu", sample_count, [](U a, U b) {
    const Big least = big<Type>(a) <= big<Type>(b) ? big<Type>(a) : big<Type>(b);
    return U(least < 0 ? Big(0) : least);
  });
  check_two<Max<Type, true>>("max.relu", sample_count, [](U a, U b) {
    const Big most = big<Type>(a) >= big<Type>(b) ? big<Type>(a) : big<Type>(b);
    return U(most < 0 ? Big(0) : most);
  });
  check_three<Sad<Type>>("sad", sample_count, [](U a, U b, U c) {
    const Big difference = big<Type>(a) - big<Type>(b);
    return U(c + (difference < 0 ? -difference : difference));
  });
}

TYPED_TEST(IntegerTest, Division) {
  using Type = TypeParam;
  using U = typename Type::Storage;
  check_two<Div<Type>>("div", 4 * sample_count, [](U a, U b) { return b ? U(big<Type>(a) / big<Type>(b)) : U(-1); });
  check_two<Rem<Type>>("rem", 4 * sample_count, [](U a, U b) { return b ? U(big<Type>(a) % big<Type>(b)) : U(-1); });
}

template <class Type>
void check_wide() {
  using U = typename Type::Storage;
  using Wide = typename MulWide<Type>::Result;
  check_two<MulWide<Type>>("mul.wide", sample_count, [](U a, U b) { return Wide(big<Type>(a) * big<Type>(b)); });
  check_three<MadWide<Type>>("mad.wide", sample_count,
                             [](U a, U b, Wide c) { return Wide(big<Type>(a) * big<Type>(b) + c); });
}
TEST(Integer, WideProducts) {
  check_wide<type::U16>();
  check_wide<type::S16>();
  check_wide<type::U32>();
  check_wide<type::S32>();
}

TEST(Integer, Saturation) {
  using type::S32;
  const auto saturated = [](Big value) { return u32(clamped(value, lowest<S32>(), highest<S32>())); };
  check_two<AddSatS32>("add.sat", sample_count, [&](u32 a, u32 b) { return saturated(big<S32>(a) + big<S32>(b)); });
  check_two<SubSatS32>("sub.sat", sample_count, [&](u32 a, u32 b) { return saturated(big<S32>(a) - big<S32>(b)); });
  check_three<MadHiSatS32>("mad.hi.sat", sample_count, [&](u32 a, u32 b, u32 c) {
    return saturated(((big<S32>(a) * big<S32>(b)) >> 32) + big<S32>(c));
  });
  check_three<Mad24HiSatS32>("mad24.hi.sat", sample_count, [&](u32 a, u32 b, u32 c) {
    const Big product = (big<S32>(a << 8) >> 8) * (big<S32>(b << 8) >> 8);
    return saturated(big<S32>(u32(product >> 16)) + big<S32>(c));
  });
}

template <class Type>
void check_24_bits() {
  const auto factor = [](u32 a) { return Type::is_signed ? big<type::S32>(a << 8) >> 8 : Big(a % (1u << 24)); };
  check_two<Mul24Lo<Type>>("mul24.lo", sample_count, [&](u32 a, u32 b) { return u32(factor(a) * factor(b)); });
  check_two<Mul24Hi<Type>>("mul24.hi", sample_count, [&](u32 a, u32 b) { return u32((factor(a) * factor(b)) >> 16); });
  check_three<Mad24Lo<Type>>("mad24.lo", sample_count,
                             [&](u32 a, u32 b, u32 c) { return u32(factor(a) * factor(b) + c); });
  check_three<Mad24Hi<Type>>("mad24.hi", sample_count,
                             [&](u32 a, u32 b, u32 c) { return u32(((factor(a) * factor(b)) >> 16) + c); });
}
TEST(Integer, TwentyFourBits) {
  check_24_bits<type::U32>();
  check_24_bits<type::S32>();
}

TEST(Integer, PairsOfHalves) {
  check_two<Halves2<Add<type::U16>>>(
      "add.u16x2", sample_count, [](u32 a, u32 b) { return ((a + b) & 0xffffu) | (((a >> 16) + (b >> 16)) << 16); });
  check_two<Halves2<Min<type::S16>>>("min.s16x2", sample_count, [](u32 a, u32 b) {
    const i16 low = i16(a) < i16(b) ? i16(a) : i16(b);
    const i16 high = i16(a >> 16) < i16(b >> 16) ? i16(a >> 16) : i16(b >> 16);
    return u32(u16(low)) | u32(u16(high)) << 16;
  });
}

// Bytes as an array, for dp4a and dp2a.
template <bool Signed>
i64 byte_at(u32 word, u32 index) {
  u8 bytes[4];
  __builtin_memcpy(bytes, &word, 4);
  return Signed ? i64(i8(bytes[index])) : i64(bytes[index]);
}
template <bool Signed>
i64 half_at(u32 word, u32 index) {
  u16 halves[2];
  __builtin_memcpy(halves, &word, 4);
  return Signed ? i64(i16(halves[index])) : i64(halves[index]);
}
template <bool A, bool B>
void check_dot() {
  check_three<Dp4a<A, B>>("dp4a", sample_count, [](u32 a, u32 b, u32 c) {
    i64 sum = c;
    for (u32 i = 0; i < 4; ++i) sum += byte_at<A>(a, i) * byte_at<B>(b, i);
    return u32(sum);
  });
  check_three<Dp2a<false, A, B>>("dp2a.lo", sample_count, [](u32 a, u32 b, u32 c) {
    return u32(c + half_at<A>(a, 0) * byte_at<B>(b, 0) + half_at<A>(a, 1) * byte_at<B>(b, 1));
  });
  check_three<Dp2a<true, A, B>>("dp2a.hi", sample_count, [](u32 a, u32 b, u32 c) {
    return u32(c + half_at<A>(a, 0) * byte_at<B>(b, 2) + half_at<A>(a, 1) * byte_at<B>(b, 3));
  });
}
TEST(Integer, DotProducts) {
  check_dot<false, false>();
  check_dot<false, true>();
  check_dot<true, false>();
  check_dot<true, true>();
}

}  // namespace
}  // namespace ropewalk::machine::arithmetic
