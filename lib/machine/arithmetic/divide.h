// Integer division and remainder (PTX ISA: div, rem). Division by zero is "unspecified, machine-dependent" there; the
// code that ptxas 13.0 makes for sm_80 (LOP3 0x33 of a zero divisor) gives all ones for the quotient and for the
// remainder alike, and so do these. The most negative value divided by -1 wraps.
#pragma once
#include "lib/machine/arithmetic/integer.h"

namespace ropewalk::machine::arithmetic {

// Quotients of 16 and 32 bits go through binary64, where vector instructions can divide. The rounded quotient cannot
// reach the next integer: an inexact a/b is at least 1/b below it, which is 2^-32 or more of a/b, far over 2^-53.
template <class Type>
RW_LANE typename Type::Unsigned quotient(typename Type::Value a, typename Type::Value b) {
  using U = typename Type::Unsigned;
  if constexpr (sizeof(U) == 8) {
    using V = typename Type::Value;
    const bool overflows = Type::is_signed && b == V(-1);
    const V divisor = b == 0 || overflows ? V(1) : b;
    const U result = U(a / divisor);
    return b == 0 ? U(-1) : overflows ? U(U(0) - result) : result;
  } else if constexpr (Type::is_signed) {
    const double exact = double(a) / double(b == 0 ? 1 : b);
    // Only the most negative value over -1 is out of range.
    const i32 result = exact >= 0x1p31 ? i32(-0x7fffffff - 1) : i32(exact >= 0x1p31 ? 0.0 : exact);
    return b == 0 ? U(-1) : U(result);
  } else {
    const double exact = double(a) / double(b == 0 ? 1u : b);
    // Two signed conversions, because an unsigned one is a vector instruction only with AVX-512.
    const bool high = exact >= 0x1p31;
    const u32 result = u32(i32(high ? exact - 0x1p31 : exact)) + (high ? 0x80000000u : 0u);
    return b == 0 ? U(-1) : U(result);
  }
}

template <class Type>
struct Div {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) { return quotient<Type>(Type::load(a), Type::load(b)); }
};
// The sign of the remainder is the dividend's.
template <class Type>
struct Rem {
  using U = typename Type::Storage;
  RW_TWO_OPERANDS(U);
  RW_LANE U apply(U a, U b) {
    const U q = quotient<Type>(Type::load(a), Type::load(b));
    return b == 0 ? U(-1) : U(a - low_product(q, b));
  }
};

}  // namespace ropewalk::machine::arithmetic
