// Counting, finding and moving of bits (PTX ISA: popc clz bfind brev bfe bfi bmsk szext fns).
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// The number of ones, by sums of neighbouring fields: no instruction set below AVX-512 with VPOPCNTDQ counts in lanes.
RW_LANE u32 count_ones(u32 a) {
  a -= (a >> 1) & 0x55555555u;
  a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0fu;
  return (a * 0x01010101u) >> 24;
}
RW_LANE u32 count_ones(u64 a) { return count_ones(u32(a)) + count_ones(u32(a >> 32)); }

// Every bit below the highest one set as well.
template <class U>
RW_LANE U filled_below(U a) {
  a |= a >> 1;
  a |= a >> 2;
  a |= a >> 4;
  a |= a >> 8;
  a |= a >> 16;
  if constexpr (sizeof(U) == 8) a |= a >> 32;
  return a;
}
RW_LANE u32 reversed(u32 a) {
  a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
  a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
  a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(a);
}

// popc.b32, popc.b64
template <class U>
struct Popc {
  using Result = u32;
  using A = U;
  RW_LANE u32 apply(U a) { return count_ones(a); }
};
// Leading zeros; the width for 0.
template <class U>
struct Clz {
  using Result = u32;
  using A = U;
  RW_LANE u32 apply(U a) { return u32(sizeof(U) * 8) - count_ones(filled_below(a)); }
};
// Position of the highest one, for a negative signed value of the highest zero; 0xffffffff where there is none.
// ShiftAmount: the shift that would bring that bit to the top.
template <class Type, bool ShiftAmount>
struct Bfind {
  using U = typename Type::Storage;
  using Result = u32;
  using A = U;
  RW_LANE u32 apply(U a) {
    const U sought = Type::load(a) < 0 ? U(~a) : a;
    const u32 position = count_ones(filled_below(sought)) - 1;  // -1 for 0
    return ShiftAmount && position != 0xffffffffu ? Type::bits - 1 - position : position;
  }
};
template <class U>
struct Brev;
template <>
struct Brev<u32> {
  RW_ONE_OPERAND(u32);
  RW_LANE u32 apply(u32 a) { return reversed(a); }
};
template <>
struct Brev<u64> {
  RW_ONE_OPERAND(u64);
  RW_LANE u64 apply(u64 a) { return u64(reversed(u32(a))) << 32 | reversed(u32(a >> 32)); }
};

// The lowest `length` bits set; all of them for a length of the width or more.
template <class U>
RW_LANE U low_mask(u32 length) {
  constexpr u32 width = sizeof(U) * 8;
  return length >= width ? U(~U(0)) : U((U(1) << (length & (width - 1))) - 1);
}

// bfe.u/.s: `length` bits of a from `position` on (both taken modulo 256). What lies beyond the top is zero, or for
// signed types a copy of the field's highest bit, which is a's highest where the field reaches over it.
template <class Type>
struct Bfe {
  using U = typename Type::Storage;
  using Result = U;
  using A = U;
  using B = u32;
  using C = u32;
  RW_LANE U apply(U a, u32 b, u32 c) {
    constexpr u32 width = Type::bits;
    const u32 position = b & 0xffu, length = c & 0xffu;
    if constexpr (Type::is_signed) {
      using V = typename Type::Value;
      // The field to the top and down again, after copies of a's sign have come in over the top.
      const U down = U(V(a) >> smaller(position, width - 1));
      const u32 unused = length < width ? (width - length) & (width - 1) : 0;
      const U extended = U(V(U(down << unused)) >> unused);
      return length == 0 ? U(0) : extended;
    } else {
      const U shifted = position < width ? U(a >> (position & (width - 1))) : U(0);
      return U(shifted & low_mask<U>(length));
    }
  }
};
// bfi: the lowest `length` bits of a put into b at `position` (both modulo 256).
template <class U>
struct Bfi {
  using Result = U;
  using A = U;
  using B = U;
  using C = u32;
  using D = u32;
  RW_LANE U apply(U a, U b, u32 c, u32 d) {
    constexpr u32 width = sizeof(U) * 8;
    const u32 position = c & 0xffu, length = d & 0xffu;
    const u32 shift = position & (width - 1);
    const U mask = position < width ? U(low_mask<U>(length) << shift) : U(0);
    return U((b & ~mask) | (U(a << shift) & mask));
  }
};
// bmsk.clamp/.wrap.b32: `b` ones from position a on; values over 31 (32 for the length) wrap or are clamped.
template <bool Wrap>
struct Bmsk {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) {
    if constexpr (Wrap) return low_mask<u32>(b & 31u) << (a & 31u);
    return a > 31 ? 0u : low_mask<u32>(smaller(b, 32u)) << (a & 31u);
  }
};
// szext.clamp/.wrap: the lowest b bits of a, extended by zeros or by the sign; clamp leaves a as it is for 32 bits or
// more.
template <class Type, bool Wrap>
struct Szext {
  RW_TWO_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b) {
    const u32 length = Wrap ? b & 31u : smaller(b, 32u);
    const u32 unused = (32u - length) & 31u;
    const u32 top = a << unused;
    const u32 extended = Type::is_signed ? u32(i32(top) >> unused) : top >> unused;
    return length == 0 ? 0u : extended;
  }
};

// fns.b32: the position of the |n|-th one of the mask counted from bit `base` on, upwards for n > 0, downwards for n <
// 0; for n = 0 base itself if it is set. 0xffffffff where there is none. For PTX base must be below 32.
struct Fns {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 mask, u32 base, u32 n) {
    const i32 wanted = i32(n);
    const i32 step = wanted < 0 ? -1 : 1;
    u32 missing = wanted == 0 ? 1u : wanted < 0 ? 0u - n : n;
    u32 found = 0xffffffffu;
    i32 position = i32(base & 31u);
    const u32 reach = wanted == 0 ? 1u : 32u;
    for (u32 i = 0; i < 32; ++i) {
      const bool inside = i < reach && position >= 0 && position < 32 && base < 32;
      const u32 bit = inside ? (mask >> (u32(position) & 31u)) & 1u : 0u;
      missing -= bit;
      found = bit && missing == 0 ? u32(position) : found;
      position += step;
    }
    return found;
  }
};

}  // namespace ropewalk::machine::arithmetic
