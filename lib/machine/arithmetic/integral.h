// Rounding to integers: .rni .rzi .rmi .rpi of cvt, the result still a float.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"

namespace ropewalk::machine::arithmetic {

// Adding and taking away the first number without fraction bits rounds to nearest even, on any instruction set; the
// other modes correct that by one. The sign of the operand stays, also of a zero.
RW_LANE float magnitude_of(float a) { return bits_to_f32(f32_to_bits(a) & 0x7fffffffu); }
RW_LANE double magnitude_of(double a) { return bits_to_f64(f64_to_bits(a) & (~u64(0) >> 1)); }
RW_LANE float with_sign_of(float sign, float magnitude) {
  return bits_to_f32((f32_to_bits(magnitude) & 0x7fffffffu) | (f32_to_bits(sign) & 0x80000000u));
}
RW_LANE double with_sign_of(double sign, double magnitude) {
  const u64 mask = u64(1) << 63;
  return bits_to_f64((f64_to_bits(magnitude) & ~mask) | (f64_to_bits(sign) & mask));
}

template <Rounding Mode, class F>
RW_LANE F integral(F a) {
  constexpr F whole = sizeof(F) == 4 ? F(0x1p23) : F(0x1p52);
  const F magnitude = magnitude_of(a);
  const F nearest = with_sign_of(a, (magnitude + whole) - whole);
  F correction = 0;
  if constexpr (Mode == Rounding::Zero) correction = magnitude_of(nearest) > magnitude ? with_sign_of(a, F(1)) : F(0);
  if constexpr (Mode == Rounding::Down) correction = nearest > a ? F(1) : F(0);
  if constexpr (Mode == Rounding::Up) correction = nearest < a ? F(-1) : F(0);
  const F result = with_sign_of(a, nearest - correction);
  return magnitude < whole ? result : a;  // NaN too stays what it is
}

}  // namespace ropewalk::machine::arithmetic
