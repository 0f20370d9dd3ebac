// a * b + c, rounded once (PTX ISA: fma, mad of floating-point types).
#pragma once
#include "lib/machine/arithmetic/rounding.h"

namespace ropewalk::machine::arithmetic {

// An inexact result of W brought to the neighbour with an odd significand (round to odd). Rounding that again to a
// format with at least two bits less gives what rounding the exact value once would give (Boldo and Melquiond, 2008).
template <class F>
RW_LANE F odd_sum(F a, F b) {
  using Bits = typename Wider<F>::Bits;
  const ExactSum<F> exact = exact_sum(a, b);
  const Bits bits = __builtin_bit_cast(Bits, exact.sum);
  const bool even = (bits & 1) == 0;
  const bool away = (exact.error > 0) == (exact.sum > 0);
  const Bits moved = bits + (away ? Bits(1) : Bits(-1));
  // The error of an infinite sum is NaN and moves nothing.
  const bool inexact = exact.error < 0 || exact.error > 0;
  return __builtin_bit_cast(F, even && inexact ? moved : bits);
}

#ifdef __FMA__
RW_LANE float nearest_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
// Without the instruction: the product is exact in double, and the sum is rounded to odd on the way to float.
RW_LANE float nearest_fma(float a, float b, float c) { return float(odd_sum(double(a) * double(b), double(c))); }
#endif
RW_LANE double nearest_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <Rounding Mode, class F>
RW_LANE F rounded_fma(F a, F b, F c) {
  using W = typename Wider<F>::type;
  const F nearest = nearest_fma(a, b, c);
  if constexpr (Mode == Rounding::Nearest) return nearest;
  return directed_against_sum<Mode, F, W>(nearest, W(a) * W(b), W(c));
}

}  // namespace ropewalk::machine::arithmetic
