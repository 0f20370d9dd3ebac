// Rounding errors of float formats, for bounds: branch-free, because a reference asks for each element.
#pragma once
#include <bit>
#include <cmath>

#include "lib/base/dtype.h"

namespace ropewalk::reference {

// Unit roundoff of binary32 and half of its smallest subnormal: rounding x to f32 moves it by at most
// max(u |x|, underflow), "Handbook of Floating-Point Arithmetic" (Muller et al.), section 2.6.
inline constexpr double f32_roundoff = 0x1p-24;
inline constexpr double f32_underflow = 0x1p-150;

// How a format rounds.
struct Rounding {
  double relative;  // half a unit in the last place of 1, as a part of the power of two below the value
  double least;     // half of the smallest subnormal
  double overflow;  // from here on a magnitude is rounded to infinity

  // f32, f16 or bf16.
  static constexpr Rounding of(Dtype dtype) {
    if (dtype == Dtype::F16) return {0x1p-11, 0x1p-25, 65520};
    if (dtype == Dtype::BF16) return {0x1p-8, 0x1p-134, 0x1p128 - 0x1p119};
    return {0x1p-24, 0x1p-150, 0x1p128 - 0x1p103};
  }
  // Largest error of rounding a value of at most this magnitude.
  double error(double magnitude) const {
    const double power_below = std::bit_cast<double>(std::bit_cast<u64>(magnitude) & 0x7ff0000000000000ull);
    const double unit = power_below * relative;
    return unit > least ? unit : least;
  }
};

}  // namespace ropewalk::reference
