// Single precision (PTX ISA, "Floating Point Instructions"): add sub mul fma mad div rcp sqrt with their roundings, min
// max abs neg copysign. The .approx forms stand in approximate.h. Ftz, Sat: the modifiers .ftz and .sat.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"
#include "lib/machine/arithmetic/fused.h"
#include "lib/machine/arithmetic/rounding.h"

namespace ropewalk::machine::arithmetic {

template <Rounding Mode, bool Ftz, bool Sat>
struct AddF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    return finished<Ftz, Sat>(rounded_sum<Mode>(flushed<Ftz>(a), flushed<Ftz>(b)));
  }
};
template <Rounding Mode, bool Ftz, bool Sat>
struct SubF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) { return AddF32<Mode, Ftz, Sat>::apply(a, -b); }
};
template <Rounding Mode, bool Ftz, bool Sat>
struct MulF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    return finished<Ftz, Sat>(rounded_product<Mode>(flushed<Ftz>(a), flushed<Ftz>(b)));
  }
};
// fma and mad.
template <Rounding Mode, bool Ftz, bool Sat>
struct FmaF32 {
  RW_THREE_OPERANDS(float);
  RW_LANE float apply(float a, float b, float c) {
    return finished<Ftz, Sat>(rounded_fma<Mode>(flushed<Ftz>(a), flushed<Ftz>(b), flushed<Ftz>(c)));
  }
};
// div.rn/.rz/.rm/.rp
template <Rounding Mode, bool Ftz>
struct DivF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    return finished<Ftz, false>(rounded_quotient<Mode>(flushed<Ftz>(a), flushed<Ftz>(b)));
  }
};
template <Rounding Mode, bool Ftz>
struct RcpF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return DivF32<Mode, Ftz>::apply(1.0f, a); }
};
template <Rounding Mode, bool Ftz>
struct SqrtF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return finished<Ftz, false>(rounded_root<Mode>(flushed<Ftz>(a))); }
};

// The lesser of two floats: a number wins over NaN, -0 is less than +0. Equal values differ at most in a zero's sign,
// which the OR of their bits makes negative.
RW_LANE float lesser(float a, float b) {
  const float ordered = a == b ? bits_to_f32(f32_to_bits(a) | f32_to_bits(b)) : smaller(a, b);
  return canonical(is_nan(b) ? a : ordered);
}
RW_LANE float greater(float a, float b) {
  const float ordered = a == b ? bits_to_f32(f32_to_bits(a) & f32_to_bits(b)) : larger(a, b);
  return canonical(is_nan(b) ? a : ordered);
}
// min, max. PropagateNan: .NaN, a NaN operand gives NaN. XorsignAbs: .xorsign.abs, of magnitudes, with the exclusive or
// of the signs.
template <bool Maximum, bool Ftz, bool PropagateNan, bool XorsignAbs>
struct ExtremeF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    float x = flushed<Ftz>(a), y = flushed<Ftz>(b);
    const u32 sign = (f32_to_bits(x) ^ f32_to_bits(y)) & 0x80000000u;
    if constexpr (XorsignAbs) {
      x = bits_to_f32(f32_to_bits(x) & 0x7fffffffu);
      y = bits_to_f32(f32_to_bits(y) & 0x7fffffffu);
    }
    float result = Maximum ? greater(x, y) : lesser(x, y);
    if constexpr (PropagateNan) result = is_nan(a) || is_nan(b) ? bits_to_f32(canonical_nan_f32) : result;
    if constexpr (XorsignAbs) result = is_nan(result) ? result : bits_to_f32(f32_to_bits(result) | sign);
    return result;
  }
};
template <bool Ftz, bool PropagateNan, bool XorsignAbs>
using MinF32 = ExtremeF32<false, Ftz, PropagateNan, XorsignAbs>;
template <bool Ftz, bool PropagateNan, bool XorsignAbs>
using MaxF32 = ExtremeF32<true, Ftz, PropagateNan, XorsignAbs>;

// Only the sign changes, also of a NaN (whose result the manual leaves open).
template <bool Ftz>
struct AbsF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return bits_to_f32(f32_to_bits(flushed<Ftz>(a)) & 0x7fffffffu); }
};
template <bool Ftz>
struct NegF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return bits_to_f32(f32_to_bits(flushed<Ftz>(a)) ^ 0x80000000u); }
};
// copysign: the sign of a on the magnitude of b.
struct CopysignF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    return bits_to_f32((f32_to_bits(a) & 0x80000000u) | (f32_to_bits(b) & 0x7fffffffu));
  }
};

}  // namespace ropewalk::machine::arithmetic
