// Conversions between binary32/binary64 and the small float formats, branch-free where a loop over lanes is to be
// vectorised. f16 is IEEE binary16; bf16 the upper half of binary32; e4m3 and e5m2 are the OCP 8-bit formats (e4m3 has
// no infinity).
#pragma once
#include "lib/base/lane.h"
#include "lib/base/types.h"

namespace ropewalk {

RW_LANE float bits_to_f32(u32 bits) { return __builtin_bit_cast(float, bits); }
RW_LANE u32 f32_to_bits(float value) { return __builtin_bit_cast(u32, value); }

RW_LANE float bf16_to_f32(u16 bits) { return bits_to_f32(u32(bits) << 16); }

// Round to nearest even; every NaN becomes the canonical 0x7fff, as PTX's cvt gives it.
RW_LANE u16 f32_to_bf16(float value) {
  const u32 bits = f32_to_bits(value);
  const u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? u16(0x7fff) : u16(rounded);
}

RW_LANE float f16_to_f32(u16 bits) {
  // The exponent is moved by a multiplication, which also makes normal numbers of subnormal ones.
  const u32 magnitude = u32(bits & 0x7fffu) << 13;
  const float scaled = bits_to_f32(magnitude) * bits_to_f32(0x77800000u);  // 2^112
  const u32 special = magnitude | 0x7f800000u;                             // infinity and NaN keep their payload
  const u32 result = magnitude >= 0x0f800000u ? special : f32_to_bits(scaled);
  return bits_to_f32(result | (u32(bits & 0x8000u) << 16));
}

// Round to nearest even; overflow gives infinity; every NaN becomes 0x7fff.
RW_LANE u16 f32_to_f16(float value) {
  const u32 bits = f32_to_bits(value);
  const u32 sign = (bits >> 16) & 0x8000u;
  const u32 magnitude = bits & 0x7fffffffu;
  // Normal results: add half of the dropped unit, ties to even, and move the exponent by 112.
  const u32 normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Subnormal results: adding 0.5 puts the unit of 2^-24 at the end of the significand, and the addition rounds.
  const u32 subnormal = f32_to_bits(bits_to_f32(magnitude) + 0.5f) - 0x3f000000u;
  u32 result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7fffu : result;
  return u16(magnitude > 0x7f800000u ? 0x7fffu : (result | sign));
}

// To binary32 by rounding to odd (inexact results get an odd last bit), so that a second rounding to a format with at
// least two significant bits fewer gives what one rounding would have given (Boldo and Melquiond, 2008).
RW_LANE float f64_to_f32_odd(double value) {
  const float nearest = float(value);
  const u32 bits = f32_to_bits(nearest);
  const double back = double(nearest);
  const u32 towards_zero = bits - (__builtin_fabs(back) > __builtin_fabs(value) ? 1u : 0u);
  return bits_to_f32(back == value || value != value ? bits : towards_zero | 1u);
}
// Round to nearest even directly from double: going by way of float would round twice.
RW_LANE u16 f64_to_f16(double value) { return f32_to_f16(f64_to_f32_odd(value)); }
RW_LANE u16 f64_to_bf16(double value) { return f32_to_bf16(f64_to_f32_odd(value)); }

// Of an 8-bit format that lacks `shift` fraction bits of binary32 and whose magnitudes are no finite numbers from
// `infinity` on; scale is 2 to the difference of the biases. The exponent is moved by a multiplication, which also
// makes normal numbers of subnormal ones.
RW_LANE float f8_to_f32(u8 bits, u32 shift, float scale, u32 infinity) {
  const u32 magnitude = bits & 0x7fu;
  const u32 shifted = magnitude << shift;
  const u32 finite = f32_to_bits(bits_to_f32(shifted) * scale);
  return bits_to_f32((magnitude >= infinity ? shifted | 0x7f800000u : finite) | (u32(bits & 0x80u) << 24));
}
RW_LANE float e4m3_to_f32(u8 bits) { return f8_to_f32(bits, 20, 0x1p120f, 0x7f); }
RW_LANE float e5m2_to_f32(u8 bits) { return f8_to_f32(bits, 21, 0x1p112f, 0x7c); }
// Round to nearest even. saturate: beyond the largest finite value gives that value (PTX's .satfinite), else NaN for
// e4m3 and infinity for e5m2.
u8 f32_to_e4m3(float value, bool saturate);
u8 f32_to_e5m2(float value, bool saturate);

}  // namespace ropewalk
