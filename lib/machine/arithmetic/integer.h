// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"): add sub mul mad mul24 mad24 sad div rem abs neg min
// max, and the u16x2 and s16x2 forms (through Halves2). Type is a tag of lane.h. dp4a and dp2a stand in dot.h, the bit
// instructions in bits.h.
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// Twice as wide as the unsigned or signed value V.
template <class V>
struct Doubled;
template <>
struct Doubled<u16> {
  using type = u32;
};
template <>
struct Doubled<i16> {
  using type = i32;
};
template <>
struct Doubled<u32> {
  using type = u64;
};
template <>
struct Doubled<i32> {
  using type = i64;
};
template <>
struct Doubled<u64> {
  using type = unsigned __int128;
};
template <>
struct Doubled<i64> {
  using type = __int128;
};

// The low half of a product; 16-bit factors are widened first, since int could overflow.
template <class U>
RW_LANE U low_product(U a, U b) {
  return sizeof(U) < 4 ? U(u32(a) * u32(b)) : U(a * b);
}
template <class V>
RW_LANE V high_product(V a, V b) {
  using W = typename Doubled<V>::type;
  return V((W(a) * W(b)) >> (sizeof(V) * 8));
}
// Of signed 16-bit factors by way of unsigned ones: GCC 12 makes the unsigned vector instruction also of the signed
// product where the result is then chosen by a mask.
RW_LANE i16 high_product(i16 a, i16 b) {
  const u16 high = high_product(u16(a), u16(b));
  return i16(high - (a < 0 ? b : 0) - (b < 0 ? a : 0));
}
RW_LANE u32 saturated_s32(i64 value) { return u32(smaller<i64>(larger<i64>(value, -0x80000000ll), 0x7fffffffll)); }

template <class Type>
struct Add {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(a + b); }
};
template <class Type>
struct Sub {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(a - b); }
};
// add.sat.s32, sub.sat.s32
struct AddSatS32 {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) {
    const u32 sum = a + b;
    const u32 limit = u32(i32(a) >> 31) ^ 0x7fffffffu;
    return i32((a ^ sum) & (b ^ sum)) < 0 ? limit : sum;
  }
};
struct SubSatS32 {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) {
    const u32 difference = a - b;
    const u32 limit = u32(i32(a) >> 31) ^ 0x7fffffffu;
    return i32((a ^ b) & (a ^ difference)) < 0 ? limit : difference;
  }
};

template <class Type>
struct MulLo {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return low_product(a, b); }
};
template <class Type>
struct MulHi {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(high_product(Type::load(a), Type::load(b))); }
};
// The result and the addend are twice as wide as the factors (16 and 32 bits only).
template <class Type>
struct MulWide {
  using A = typename Type::Storage;
  using B = A;
  using Wide = typename Doubled<typename Type::Value>::type;
  using Result = typename Doubled<typename Type::Unsigned>::type;
  RW_LANE Result apply(A a, B b) { return Result(Wide(Type::load(a))) * Result(Wide(Type::load(b))); }
};

template <class Type>
struct MadLo {
  using U = typename Type::Storage;
  RW_THREE_OPERANDS(U);
  RW_LANE U apply(U a, U b, U c) { return U(low_product(a, b) + c); }
};
template <class Type>
struct MadHi {
  using U = typename Type::Storage;
  RW_THREE_OPERANDS(U);
  RW_LANE U apply(U a, U b, U c) { return U(MulHi<Type>::apply(a, b) + c); }
};
template <class Type>
struct MadWide : MulWide<Type> {
  using typename MulWide<Type>::Result;
  using typename MulWide<Type>::A;
  using typename MulWide<Type>::B;
  using C = Result;
  RW_LANE Result apply(A a, B b, C c) { return MulWide<Type>::apply(a, b) + c; }
};
struct MadHiSatS32 {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) { return AddSatS32::apply(MulHi<type::S32>::apply(a, b), c); }
};

// The 48-bit product of the low 24 bits of two factors.
template <class Type>
RW_LANE u64 product_of_24_bits(u32 a, u32 b) {
  return Type::is_signed ? u64(i64(i32(a << 8) >> 8) * i64(i32(b << 8) >> 8)) : u64(a & 0xffffffu) * (b & 0xffffffu);
}
template <class Type>
struct Mul24Lo {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) { return u32(product_of_24_bits<Type>(a, b)); }
};
// Bits 16 to 47 of the product.
template <class Type>
struct Mul24Hi {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) { return u32(product_of_24_bits<Type>(a, b) >> 16); }
};
template <class Type>
struct Mad24Lo {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) { return Mul24Lo<Type>::apply(a, b) + c; }
};
template <class Type>
struct Mad24Hi {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) { return Mul24Hi<Type>::apply(a, b) + c; }
};
struct Mad24HiSatS32 {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) { return AddSatS32::apply(Mul24Hi<type::S32>::apply(a, b), c); }
};

// c + |a - b|
template <class Type>
struct Sad {
  using U = typename Type::Storage;
  RW_THREE_OPERANDS(U);
  RW_LANE U apply(U a, U b, U c) { return U(c + (Type::load(a) < Type::load(b) ? U(b - a) : U(a - b))); }
};

// The smallest value for the most negative one.
template <class Type>
struct Abs {
  using U = typename Type::Storage;
  using Result = U;
  using A = U;
  RW_LANE U apply(U a) { return Type::load(a) < 0 ? U(0 - a) : a; }
};
template <class Type>
struct Neg {
  using U = typename Type::Storage;
  using Result = U;
  using A = U;
  RW_LANE U apply(U a) { return U(0 - a); }
};
// Relu (s32, s16x2): a negative result becomes 0.
template <class Type, bool Relu = false>
struct Min {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) {
    const auto result = smaller(Type::load(a), Type::load(b));
    return Type::store(Relu && result < 0 ? typename Type::Value(0) : result);
  }
};
template <class Type, bool Relu = false>
struct Max {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) {
    const auto result = larger(Type::load(a), Type::load(b));
    return Type::store(Relu && result < 0 ? typename Type::Value(0) : result);
  }
};

}  // namespace ropewalk::machine::arithmetic
