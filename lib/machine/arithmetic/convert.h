// cvt among f16, bf16, f32 and f64, and the packed forms; tf32 and fp8 stand in convert_small.h, integers in
// convert_integer.h (PTX ISA, "Data Movement and Conversion Instructions: cvt"). To and From are the tags of lane.h.
#pragma once
#include "lib/machine/arithmetic/convert_integer.h"

namespace ropewalk::machine::arithmetic {

// .satfinite: an infinity becomes the largest finite value of its sign.
template <class Format, bool SatFinite>
RW_LANE u16 finite_half(u16 a) {
  if constexpr (!SatFinite) return a;
  return (a & 0x7fffu) == Format::infinity ? u16((a & 0x8000u) | Format::largest) : a;
}
// A float or double rounded to 16 bits.
template <class Format, Rounding Mode>
RW_LANE u16 to_half(float value) {
  const u16 nearest = Format::store(value);
  const float back = Format::load(nearest);
  return directed_bits<Mode, u16>(nearest, back > value, back < value);
}
template <class Format, Rounding Mode>
RW_LANE u16 to_half(double value) {
  return double_to_half<Format, Mode>(value);
}

// Modifiers of a conversion between floating-point formats. `integral`: Mode is one of .rni .rzi .rmi .rpi.
struct FloatModifiers {
  bool integral = false;
  bool ftz = false;  // flushes f32 operands and results
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
};

// bf16 to float is a shift on the hardware and keeps the bits of a NaN; every other NaN becomes canonical.
template <class From>
inline constexpr bool keeps_nan = false;
template <>
inline constexpr bool keeps_nan<type::BF16> = true;

template <class To, class From, Rounding Mode = Rounding::Nearest, FloatModifiers Modifiers = FloatModifiers{}>
struct ConvertFloat {
  using Result = typename To::Storage;
  using A = typename From::Storage;
  RW_LANE Result apply(A a) {
    auto value = From::load(a);
    if constexpr (From::bits == 32) value = flushed<Modifiers.ftz>(value);
    if constexpr (Modifiers.integral) value = integral<Mode>(value);
    if constexpr (To::bits == 16) {
      const u16 rounded = finite_half<To, Modifiers.satfinite>(to_half<To, Mode>(value));
      return relu_half<To, Modifiers.relu>(saturated_half<To, Modifiers.sat>(rounded));
    } else if constexpr (To::bits == 32) {
      float result = single(value);
      if constexpr (Modifiers.relu) result = result < 0 ? 0.0f : result;
      return saturated<Modifiers.sat>(flushed<Modifiers.ftz>(result));
    } else {
      if constexpr (Modifiers.sat) return value > 0 ? (value < 1 ? double(value) : 1.0) : 0.0;
      return double(value);
    }
  }

 private:
  RW_LANE float single(float value) { return keeps_nan<From> ? value : canonical(value); }
  RW_LANE float single(double value) { return double_to_f32<Mode>(value); }
};

// cvt.{f16x2,bf16x2}.f32 d, a, b: a becomes the high half, b the low one. Op converts one.
template <class Op>
struct Pack {
  using Result = u32;
  using A = typename Op::A;
  using B = A;
  RW_LANE u32 apply(A a, B b) { return u32(Op::apply(a)) << 16 | u32(Op::apply(b)); }
};

}  // namespace ropewalk::machine::arithmetic
