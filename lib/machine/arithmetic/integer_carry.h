// Extended-precision integer arithmetic (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"): add.cc addc
// sub.cc subc mad.cc madc. The carry flag is an operand and a result here, 0 or 1; for subtractions it is the borrow. A
// form that does not say .cc gives a carry nevertheless, which the caller then leaves alone.
#pragma once
#include "lib/machine/arithmetic/integer.h"

namespace ropewalk::machine::arithmetic {

// What an instruction of the chain leaves: its value and the carry flag.
template <class U>
struct WithCarry {
  U value;
  u8 carry;
};

// addc.cc of u32 or u64; add.cc is the same with a carry of 0.
template <class U>
struct AddCarry {
  using Result = WithCarry<U>;
  using A = U;
  using B = U;
  RW_LANE Result apply(U a, U b, u8 carry) {
    const U partial = U(a + b);
    const U sum = U(partial + carry);
    return {sum, u8(partial < a || sum < partial)};
  }
};
// subc.cc; sub.cc is the same with a borrow of 0.
template <class U>
struct SubCarry {
  using Result = WithCarry<U>;
  using A = U;
  using B = U;
  RW_LANE Result apply(U a, U b, u8 borrow) {
    const U partial = U(a - b);
    return {U(partial - borrow), u8(a < b || partial < borrow)};
  }
};
// madc.lo.cc and madc.hi.cc; mad.lo.cc and mad.hi.cc with a carry of 0.
template <class Type>
struct MadLoCarry {
  using U = typename Type::Storage;
  using Result = WithCarry<U>;
  using A = U;
  using B = U;
  using C = U;
  RW_LANE Result apply(U a, U b, U c, u8 carry) { return AddCarry<U>::apply(low_product(a, b), c, carry); }
};
template <class Type>
struct MadHiCarry {
  using U = typename Type::Storage;
  using Result = WithCarry<U>;
  using A = U;
  using B = U;
  using C = U;
  RW_LANE Result apply(U a, U b, U c, u8 carry) { return AddCarry<U>::apply(MulHi<Type>::apply(a, b), c, carry); }
};

}  // namespace ropewalk::machine::arithmetic
