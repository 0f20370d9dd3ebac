// What the 16-bit floating-point instructions and conversions share: NaN, flushing, .sat, .relu, and going from double
// to 16 bits with one rounding. Format is type::F16 or type::BF16; values are their bits.
#pragma once
#include "lib/machine/arithmetic/fused.h"

namespace ropewalk::machine::arithmetic {

template <class Format>
RW_LANE bool is_nan_half(u16 a) {
  return (a & 0x7fffu) > Format::infinity;
}
// .ftz: a subnormal becomes a zero of its sign.
template <class Format, bool Ftz>
RW_LANE u16 flushed_half(u16 a) {
  if constexpr (!Ftz) return a;
  return (a & Format::infinity) == 0 ? u16(a & 0x8000u) : a;
}
// .sat: into [0, 1], NaN becomes 0. One format's positive numbers are ordered like their bits.
template <class Format, bool Sat>
RW_LANE u16 saturated_half(u16 a) {
  if constexpr (!Sat) return a;
  const u16 positive = (a & 0x8000u) || is_nan_half<Format>(a) ? u16(0) : a;
  return smaller(positive, u16(Format::one));
}
// .relu: negative becomes 0, NaN stays.
template <class Format, bool Relu>
RW_LANE u16 relu_half(u16 a) {
  if constexpr (!Relu) return a;
  return (a & 0x8000u) && !is_nan_half<Format>(a) ? u16(0) : a;
}
template <class Format, bool Ftz, bool Sat, bool Relu>
RW_LANE u16 finished_half(u16 a) {
  return relu_half<Format, Relu>(saturated_half<Format, Sat>(flushed_half<Format, Ftz>(a)));
}

}  // namespace ropewalk::machine::arithmetic
