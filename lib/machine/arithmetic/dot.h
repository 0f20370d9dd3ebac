// Sums of products of bytes (PTX ISA: dp4a, dp2a). Arithmetic is modulo 2^32.
#pragma once
#include "lib/machine/arithmetic/integer.h"

namespace ropewalk::machine::arithmetic {

// Byte or 16-bit part number `index`, extended to 32 bits.
template <bool Signed>
RW_LANE u32 byte_of(u32 word, u32 index) {
  const u32 byte = (word >> (8 * index)) & 0xffu;
  return Signed ? u32(i32(i8(byte))) : byte;
}
template <bool Signed>
RW_LANE u32 half_of(u32 word, u32 index) {
  const u32 half = (word >> (16 * index)) & 0xffffu;
  return Signed ? u32(i32(i16(half))) : half;
}

// dp4a.atype.btype: c plus the four products of the bytes of a and b.
template <bool SignedA, bool SignedB>
struct Dp4a {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    return c + byte_of<SignedA>(a, 0) * byte_of<SignedB>(b, 0) + byte_of<SignedA>(a, 1) * byte_of<SignedB>(b, 1) +
           byte_of<SignedA>(a, 2) * byte_of<SignedB>(b, 2) + byte_of<SignedA>(a, 3) * byte_of<SignedB>(b, 3);
  }
};
// dp2a.lo/.hi: c plus the two halves of a times the low or high two bytes of b.
template <bool High, bool SignedA, bool SignedB>
struct Dp2a {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    const u32 first = High ? 2 : 0;
    return c + half_of<SignedA>(a, 0) * byte_of<SignedB>(b, first) +
           half_of<SignedA>(a, 1) * byte_of<SignedB>(b, first + 1);
  }
};

}  // namespace ropewalk::machine::arithmetic
