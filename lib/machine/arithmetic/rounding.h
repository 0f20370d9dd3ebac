// Directed rounding without the floating-point environment: the host's result, rounded to nearest, is compared with the
// exact one and moved by one unit in the last place where it lies on the wrong side.
//
// The exact result of two operands of a format is had in a wider one W (double for float, __float128 for double):
// a product fits (2p bits), a sum is s + e by Knuth's TwoSum, which is exact in W since W's range is far wider.
// Quotient q and root r are compared by way of q * b with a and r * r with a, which are products again.
// With s = RN_W(exact), a value of the narrow format that differs from s is on the same side of s and of the exact
// value, because it is itself a W number: comparing with s, then with the sign of e, decides.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"

namespace ropewalk::machine::arithmetic {

template <class F>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
  using Bits = u32;
};
template <>
struct Wider<double> {
  using type = __float128;
  using Bits = u64;
};

// `nearest` moved by a unit if it lies above or below the exact value on the side that Mode does not allow. Bits of one
// sign are ordered like magnitudes, so that overflow to infinity goes back to the largest finite value as it must.
template <Rounding Mode, class Bits>
RW_LANE Bits directed_bits(Bits nearest, bool above, bool below) {
  if constexpr (Mode == Rounding::Nearest) return nearest;
  // Conditions are joined by & and | here and below: && and || would be branches.
  const Bits negative = Bits(Bits(0) - (nearest >> (sizeof(Bits) * 8 - 1)));  // all ones or zero
  const bool too_large = negative ? below : above;                            // in magnitude
  if constexpr (Mode == Rounding::Zero) return Bits(nearest - (too_large ? Bits(1) : Bits(0)));
  const Bits outwards = Mode == Rounding::Up ? Bits((Bits(1) ^ negative) - negative)  // one unit up
                                             : Bits((Bits(-1) ^ negative) - negative);
  return Bits(nearest + ((Mode == Rounding::Up ? below : above) ? outwards : Bits(0)));
}
template <Rounding Mode, class F>
RW_LANE F directed(F nearest, bool above, bool below) {
  using Bits = typename Wider<F>::Bits;
  return __builtin_bit_cast(F, directed_bits<Mode, Bits>(__builtin_bit_cast(Bits, nearest), above, below));
}

// A sum of two numbers of W: sum is rounded to nearest, error is what that lost.
template <class W>
struct ExactSum {
  W sum;
  W error;
};
template <class W>
RW_LANE ExactSum<W> exact_sum(W a, W b) {
  const W sum = a + b;
  const W part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// `nearest` turned to Mode against the exact value a + b of W.
template <Rounding Mode, class F, class W>
RW_LANE F directed_against_sum(F nearest, W a, W b) {
  const ExactSum<W> exact = exact_sum(a, b);
  const W value = nearest;
  const bool above = (value > exact.sum) | ((value == exact.sum) & (exact.error < 0));
  const bool below = (value < exact.sum) | ((value == exact.sum) & (exact.error > 0));
  const F result = directed<Mode>(nearest, above, below);
  // Rounding down, an exact zero is -0 unless both are +0.
  if constexpr (Mode == Rounding::Down) {
    const bool positive_zeros = (a == 0) & (b == 0) & !__builtin_signbit(F(a)) & !__builtin_signbit(F(b));
    const bool zero = (exact.sum == 0) & (exact.error == 0);
    return zero & !positive_zeros ? F(-0.0) : result;
  }
  return result;
}

template <Rounding Mode, class F>
RW_LANE F rounded_sum(F a, F b) {
  using W = typename Wider<F>::type;
  if constexpr (Mode == Rounding::Nearest) return a + b;
  return directed_against_sum<Mode, F, W>(a + b, W(a), W(b));
}
template <Rounding Mode, class F>
RW_LANE F rounded_product(F a, F b) {
  using W = typename Wider<F>::type;
  const F nearest = a * b;
  if constexpr (Mode == Rounding::Nearest) return nearest;
  const W exact = W(a) * W(b);
  return directed<Mode>(nearest, W(nearest) > exact, W(nearest) < exact);
}
template <Rounding Mode, class F>
RW_LANE F rounded_quotient(F a, F b) {
  using W = typename Wider<F>::type;
  const F nearest = a / b;
  if constexpr (Mode == Rounding::Nearest) return nearest;
  // nearest against a / b, multiplied by |b|. Nothing is to be moved where the quotient is exact by definition. An
  // overflow is above the quotient, and infinity times |b| says so.
  const bool exact = (a == 0) | (b == 0) | (a - a != 0) | (b - b != 0);
  const W magnitude = b < 0 ? -W(b) : W(b), dividend = b < 0 ? -W(a) : W(a), product = W(nearest) * magnitude;
  return directed<Mode>(nearest, !exact & (product > dividend), !exact & (product < dividend));
}
template <Rounding Mode, class F>
RW_LANE F rounded_root(F a) {
  using W = typename Wider<F>::type;
  const F nearest = sizeof(F) == 4 ? F(__builtin_sqrtf(float(a))) : F(__builtin_sqrt(double(a)));
  if constexpr (Mode == Rounding::Nearest) return nearest;
  const bool exact = !(a > 0) | (a - a != 0);
  const W square = W(nearest) * W(nearest);
  return directed<Mode>(nearest, !exact & (square > W(a)), !exact & (square < W(a)));
}

}  // namespace ropewalk::machine::arithmetic
