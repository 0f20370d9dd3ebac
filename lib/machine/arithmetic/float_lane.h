// What the f32 and f64 instructions share: NaN, flushing of subnormals, saturation, and how they round (PTX ISA,
// "Floating-Point Instructions").
//
// NaN: the manual leaves the NaN of single-precision results open; the hardware gives 0x7fffffff, and so do these.
// Double precision keeps payloads, as the manual says, and as the host's instructions do.
#pragma once
#include "lib/machine/arithmetic/lane.h"

namespace ropewalk::machine::arithmetic {

// .rn .rz .rm .rp
enum class Rounding { Nearest, Zero, Down, Up };

constexpr u32 canonical_nan_f32 = 0x7fffffffu;

RW_LANE bool is_nan(float a) { return a != a; }
RW_LANE bool is_nan(double a) { return a != a; }
// Any NaN becomes the canonical one.
RW_LANE float canonical(float a) { return is_nan(a) ? bits_to_f32(canonical_nan_f32) : a; }
RW_LANE double canonical(double a) { return a; }

// .ftz: a subnormal becomes a zero of its sign.
template <bool Ftz>
RW_LANE float flushed(float a) {
  if constexpr (!Ftz) return a;
  const u32 bits = f32_to_bits(a);
  return bits_to_f32((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
// .sat: into [0, 1], NaN becomes 0.
template <bool Sat>
RW_LANE float saturated(float a) {
  if constexpr (!Sat) return a;
  const float positive = a > 0.0f ? a : 0.0f;
  return positive < 1.0f ? positive : 1.0f;
}
// What every single-precision result goes through.
template <bool Ftz, bool Sat>
RW_LANE float finished(float a) {
  const float result = flushed<Ftz>(a);  // leaves NaN alone, and comes first, for less code
  return saturated<Sat>(Sat ? result : canonical(result));
}

}  // namespace ropewalk::machine::arithmetic
