// The .approx and .full instructions (PTX ISA, "Floating Point Instructions"): rcp sqrt rsqrt div ex2 lg2 sin cos tanh.
//
// Polynomials are minimax with f32 coefficients, found with Sollya's fpminimax for relative error; the error of each
// stands beside it. They are evaluated with separate products and sums, so that every instruction set gives the same
// bits.
#pragma once
#include "lib/machine/arithmetic/float32.h"
#include "lib/machine/arithmetic/integral.h"

namespace ropewalk::machine::arithmetic {

// rcp.approx (1 ulp), sqrt.approx (2^-23), rsqrt.approx (2^-22.9), div.full (2 ulp): IEEE operations are nearer than
// asked.
template <bool Ftz>
using RcpApproxF32 = RcpF32<Rounding::Nearest, Ftz>;
template <bool Ftz>
using SqrtApproxF32 = SqrtF32<Rounding::Nearest, Ftz>;
template <bool Ftz>
using DivFullF32 = DivF32<Rounding::Nearest, Ftz>;

template <bool Ftz>
struct RsqrtApproxF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return finished<Ftz, false>(1.0f / __builtin_sqrtf(flushed<Ftz>(a))); }
};
// div.approx multiplies by the reciprocal, which is zero for |b| over 2^126: zero then, or NaN for an infinite a.
template <bool Ftz>
struct DivApproxF32 {
  RW_TWO_OPERANDS(float);
  RW_LANE float apply(float a, float b) {
    const float x = flushed<Ftz>(a), y = flushed<Ftz>(b);
    const float quotient = x / y;
    const float vanished = x * with_sign_of(y, 0.0f);
    return finished<Ftz, false>(magnitude_of(y) > 0x1p126f ? vanished : quotient);
  }
};

// 2^f for f in [-1/2, 1/2]; relative error 2^-28.
RW_LANE float exp2_polynomial(float f) {
  float p = 0x1.3f9068p-13f;
  p = p * f + 0x1.5f0a66p-10f;
  p = p * f + 0x1.3b30bp-7f;
  p = p * f + 0x1.c6af78p-5f;
  p = p * f + 0x1.ebfbd8p-3f;
  p = p * f + 0x1.62e43p-1f;
  return p * f + 1.0f;
}
RW_LANE float power_of_two(i32 exponent) { return bits_to_f32(u32(exponent + 127) << 23); }

// ex2.approx: relative error 2^-23.4 (2^-22 is asked). The integer part of the operand is added to the exponent.
template <bool Ftz>
RW_LANE float exp2_f32(float a) {
  constexpr float whole = 0x1.8p23f;  // adding it rounds to an integer, which stands in the sum's low bits
  const float inside = Ftz ? a : larger(smaller(a, 129.0f), -160.0f);
  const float shifted = inside + whole;
  const i32 exponent = i32(f32_to_bits(shifted) - f32_to_bits(whole));
  const float power = exp2_polynomial(inside - (shifted - whole));
  float result;
  if constexpr (Ftz) {
    // Results are normal or replaced.
    const float normal = bits_to_f32(f32_to_bits(power) + (u32(exponent) << 23));
    const float bounded = a >= 128.0f ? bits_to_f32(0x7f800000u) : normal;
    result = a < -126.0f ? 0.0f : bounded;
  } else {
    // In two steps, since 2^exponent alone can be no float; only the second can round.
    const i32 half = exponent >> 1;
    result = power * power_of_two(half) * power_of_two(exponent - half);
  }
  return is_nan(a) ? bits_to_f32(canonical_nan_f32) : result;
}
template <bool Ftz>
struct Ex2ApproxF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return exp2_f32<Ftz>(a); }
};

// log2(1 + t) / t for 1 + t in [sqrt(1/2), sqrt(2)]; relative error 2^-25.
RW_LANE float log2_polynomial(float t) {
  float p = 0x1.027af6p-3f;
  p = p * t - 0x1.a812e2p-3f;
  p = p * t + 0x1.b93f92p-3f;
  p = p * t - 0x1.e9655ap-3f;
  p = p * t + 0x1.26dcd2p-2f;
  p = p * t - 0x1.715c5p-2f;
  p = p * t + 0x1.ec736ep-2f;
  p = p * t - 0x1.71547p-1f;
  return p * t + 0x1.715476p0f;
}
// lg2.approx: error 2^-23.5, absolute for operands in (0.5, 2), relative elsewhere (2^-22 is asked). The operand is m *
// 2^e with m around 1, so that nothing cancels.
template <bool Ftz>
struct Lg2ApproxF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) {
    const float x = flushed<Ftz>(a);
    const bool subnormal = f32_to_bits(x) < 0x00800000u;
    const u32 bits = f32_to_bits(subnormal ? x * 0x1p24f : x);
    const i32 exponent = i32(bits - 0x3f3504f3u) >> 23;  // counted from sqrt(1/2)
    const float t = bits_to_f32(bits - (u32(exponent) << 23)) - 1.0f;
    const float logarithm = float(exponent - (subnormal ? 24 : 0)) + t * log2_polynomial(t);
    const float positive = x < bits_to_f32(0x7f800000u) ? logarithm : x;  // infinity
    const float result = x == 0 ? bits_to_f32(0xff800000u) : positive;
    return x < 0 || is_nan(x) ? bits_to_f32(canonical_nan_f32) : result;
  }
};

// sin and cos of f quarter turns, f in [-1/2, 1/2]; relative errors 2^-25 and 2^-24.5.
RW_LANE float sine_of_quarters(float f) {
  const float square = f * f;
  float p = -0x1.2f5992p-8f;
  p = p * square + 0x1.466b2p-4f;
  p = p * square - 0x1.4abbecp-1f;
  p = p * square + 0x1.921fb6p0f;
  return p * f;
}
RW_LANE float cosine_of_quarters(float f) {
  const float square = f * f;
  float p = -0x1.4e7d5cp-6f;
  p = p * square + 0x1.03b066p-2f;
  p = p * square - 0x1.3bd39cp0f;
  return p * square + 1.0f;
}
// The product of two floats, truncated (to 24 bits also where it is a subnormal).
RW_LANE float truncated_product(float a, float b) {
  return float(bits_to_f64(f64_to_bits(double(a) * double(b)) & ~u64(0x1fffffff)));
}
// sin.approx and cos.approx, errors as in the manual: at most 2^-20.5 in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi],
// and without a bound further out. These errors come from the operand, which the hardware multiplies by the float
// nearest to 1/(2 pi), truncating (ptxas 13.0 for sm_80: FMUL.RZ by 0.15915493667125701904, then MUFU.SIN). The same is
// done here, so that a kernel that takes fast sines of large angles shows the error that it has on the hardware.
template <bool Cosine, bool Ftz>
struct SineApproxF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) {
    const float turns = truncated_product(flushed<Ftz>(a), 0x1.45f306p-3f);
    const float fraction = turns - integral<Rounding::Nearest>(turns);  // exact
    const float quarters = 4 * fraction;
    const float nearest = integral<Rounding::Nearest>(quarters);
    const float rest = quarters - nearest;
    const u32 quadrant = (f32_to_bits(nearest + 0x1.8p23f) + (Cosine ? 1u : 0u)) & 3u;
    const float sine = sine_of_quarters(rest), cosine = cosine_of_quarters(rest);
    const float magnitude = quadrant & 1u ? cosine : sine;
    const float result = bits_to_f32(f32_to_bits(magnitude) ^ (quadrant & 2u) << 30);
    // A zero of the sine keeps the operand's sign where it is the operand's zero.
    return finished<Ftz, false>(!Cosine && turns == 0 ? turns : result);
  }
};
template <bool Ftz>
using SinApproxF32 = SineApproxF32<false, Ftz>;
template <bool Ftz>
using CosApproxF32 = SineApproxF32<true, Ftz>;

// tanh.approx.f32: relative error 2^-22.2 (2^-11 is asked). Below 0.55 an odd polynomial (relative error 2^-24.7),
// above by way of exp(2|x|); from 10 on it is 1 in single precision.
RW_LANE float tanh_f32(float a) {
  const float magnitude = smaller(magnitude_of(a), 10.0f);
  const float square = magnitude * magnitude;
  float p = 0x1.0d5184p-6f;
  p = p * square - 0x1.af7d38p-5f;
  p = p * square + 0x1.10cefcp-3f;
  p = p * square - 0x1.555452p-2f;
  const float small = magnitude + magnitude * (p * square);
  const float large = 1.0f - 2.0f / (exp2_f32<true>(magnitude * 0x1.715476p1f) + 1.0f);
  return canonical(is_nan(a) ? a : with_sign_of(a, magnitude < 0.55f ? small : large));
}
struct TanhApproxF32 {
  RW_ONE_OPERAND(float);
  RW_LANE float apply(float a) { return tanh_f32(a); }
};

}  // namespace ropewalk::machine::arithmetic
