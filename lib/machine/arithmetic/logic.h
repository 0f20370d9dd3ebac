// Logic and choice (PTX ISA, "Logic and Shift Instructions" and selp): and or xor not cnot lop3, selp.
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// U is a storage type: u16, u32, u64, or u8 for .pred.
template <class U>
struct And {
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(a & b); }
};
template <class U>
struct Or {
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(a | b); }
};
template <class U>
struct Xor {
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return U(a ^ b); }
};
template <class U>
struct Not {
  RW_ONE_OPERAND(U);
  RW_LANE U apply(U a) { return U(~a); }
};
// 1 for 0, else 0.
template <class U>
struct Cnot {
  RW_ONE_OPERAND(U);
  RW_LANE U apply(U a) { return U(a == 0 ? 1 : 0); }
};

// lop3.b32: bit (a << 2 | b << 1 | c) of the table, for every bit of the words. A tree of multiplexers over the eight
// bits of the table; where the table is the same in all lanes, its masks leave the loop.
struct Lop3 {
  RW_THREE_OPERANDS(u32);
  using D = u32;
  RW_LANE u32 apply(u32 a, u32 b, u32 c, u32 table) {
    const auto mask = [table](u32 bit) { return 0u - ((table >> bit) & 1u); };
    const auto choose = [](u32 zero, u32 one, u32 selector) { return zero ^ ((zero ^ one) & selector); };
    const u32 low = choose(choose(mask(0), mask(1), c), choose(mask(2), mask(3), c), b);
    const u32 high = choose(choose(mask(4), mask(5), c), choose(mask(6), mask(7), c), b);
    return choose(low, high, a);
  }
};

// selp: a where the predicate holds, else b. T is any storage type, float and double too.
template <class T>
struct Selp {
  using Result = T;
  using A = T;
  using B = T;
  using C = u8;
  RW_LANE T apply(T a, T b, u8 c) { return c ? a : b; }
};

}  // namespace ropewalk::machine::arithmetic
