// Shifts (PTX ISA: shl, shr, shf). A shift by the width or more gives zero, or copies of the sign for a signed shr.
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// shl.b16/b32/b64, the amount is a u32.
template <class Type>
struct Shl {
  using U = typename Type::Storage;
  using Result = U;
  using A = U;
  using B = u32;
  RW_LANE U apply(U a, u32 amount) { return amount < Type::bits ? U(a << (amount & (Type::bits - 1))) : U(0); }
};
// shr.u/.s/.b of 16, 32 and 64 bits.
template <class Type>
struct Shr {
  using U = typename Type::Storage;
  using Result = U;
  using A = U;
  using B = u32;
  RW_LANE U apply(U a, u32 amount) {
    if constexpr (Type::is_signed) {
      return Type::store(typename Type::Value(Type::load(a) >> smaller(amount, Type::bits - 1)));
    } else {
      return amount < Type::bits ? U(a >> (amount & (Type::bits - 1))) : U(0);
    }
  }
};

// shf.l/.r.b32: the high (left) or low (right) word of b:a shifted; the amount is taken modulo 32 (Wrap) or at most 32.
template <bool Wrap>
struct ShfL {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    const u32 amount = Wrap ? c & 31u : smaller(c, 32u);
    return u32(((u64(b) << 32 | a) << amount) >> 32);
  }
};
template <bool Wrap>
struct ShfR {
  RW_THREE_OPERANDS(u32);
  RW_LANE u32 apply(u32 a, u32 b, u32 c) {
    const u32 amount = Wrap ? c & 31u : smaller(c, 32u);
    return u32((u64(b) << 32 | a) >> amount);
  }
};

}  // namespace ropewalk::machine::arithmetic
