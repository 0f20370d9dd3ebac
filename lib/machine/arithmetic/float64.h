// Double precision (PTX ISA, "Floating Point Instructions"): add sub mul fma div rcp sqrt with their roundings, min max
// abs neg copysign, rcp.approx.ftz and rsqrt.approx.ftz. NaN payloads are kept ("supported for double-precision
// instructions"), as the host keeps them.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"
#include "lib/machine/arithmetic/fused.h"
#include "lib/machine/arithmetic/rounding.h"

namespace ropewalk::machine::arithmetic {

template <Rounding Mode>
struct AddF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) { return rounded_sum<Mode>(a, b); }
};
template <Rounding Mode>
struct SubF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) { return Mode == Rounding::Nearest ? a - b : rounded_sum<Mode>(a, -b); }
};
template <Rounding Mode>
struct MulF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) { return rounded_product<Mode>(a, b); }
};
// fma and mad.
template <Rounding Mode>
struct FmaF64 {
  RW_THREE_OPERANDS(double);
  RW_LANE double apply(double a, double b, double c) { return rounded_fma<Mode>(a, b, c); }
};
template <Rounding Mode>
struct DivF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) { return rounded_quotient<Mode>(a, b); }
};
template <Rounding Mode>
struct RcpF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return rounded_quotient<Mode>(1.0, a); }
};
template <Rounding Mode>
struct SqrtF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return rounded_root<Mode>(a); }
};

// min, max: a number wins over NaN, -0 is less than +0; the NaN of two NaNs is 0x7fffffffffffffff.
template <bool Maximum>
struct ExtremeF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) {
    const u64 x = f64_to_bits(a), y = f64_to_bits(b);
    const double equal = bits_to_f64(Maximum ? x & y : x | y);
    const double ordered = a == b ? equal : Maximum ? larger(a, b) : smaller(a, b);
    const double result = is_nan(b) ? a : ordered;
    return is_nan(result) ? bits_to_f64(~u64(0) >> 1) : result;
  }
};
using MinF64 = ExtremeF64<false>;
using MaxF64 = ExtremeF64<true>;

struct AbsF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return bits_to_f64(f64_to_bits(a) & (~u64(0) >> 1)); }
};
struct NegF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return bits_to_f64(f64_to_bits(a) ^ (u64(1) << 63)); }
};
// copysign: the sign of a on the magnitude of b.
struct CopysignF64 {
  RW_TWO_OPERANDS(double);
  RW_LANE double apply(double a, double b) {
    const u64 sign = u64(1) << 63;
    return bits_to_f64((f64_to_bits(a) & sign) | (f64_to_bits(b) & ~sign));
  }
};

// The gross approximations work on the upper 32 bits: the lower 32 of the operand are ignored and those of the result
// are zero. Subnormals are flushed, NaN is canonical.
RW_LANE double upper_half(double value) {
  const u64 bits = f64_to_bits(value) & 0xffffffff00000000u;
  const double flushed_value = bits_to_f64((bits & 0x7ff0000000000000u) == 0 ? bits & (u64(1) << 63) : bits);
  return is_nan(value) ? bits_to_f64(0x7fffffff00000000u) : flushed_value;
}
struct RcpApproxF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return upper_half(1.0 / upper_half(a)); }
};
// rsqrt.approx.f64, whose error the manual leaves open: two roundings.
struct RsqrtF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct RsqrtApproxF64 {
  RW_ONE_OPERAND(double);
  RW_LANE double apply(double a) { return upper_half(1.0 / __builtin_sqrt(upper_half(a))); }
};

}  // namespace ropewalk::machine::arithmetic
