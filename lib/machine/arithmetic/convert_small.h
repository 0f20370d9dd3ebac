// cvt to tf32, and between fp8 pairs and f16x2 or two f32 (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#pragma once
#include "lib/machine/arithmetic/convert.h"

namespace ropewalk::machine::arithmetic {

// What mma reads of a tf32 operand: the low 13 bits are ignored.
RW_LANE float truncated_tf32(float value) { return bits_to_f32(f32_to_bits(value) & 0xffffe000u); }

// How cvt rounds to tf32: .rn, .rz, or .rna (ties away from zero).
enum class Tf32Rounding { Nearest, Zero, Away };

// cvt.rna/.rn/.rz.tf32.f32: the bits of a float whose low 13 bits are zero. SatFinite: beyond the largest tf32 gives
// that.
template <Tf32Rounding Mode, bool Relu = false, bool SatFinite = false>
struct ConvertTf32 {
  using Result = u32;
  using A = float;
  RW_LANE u32 apply(float a) {
    const u32 bits = f32_to_bits(a), magnitude = bits & 0x7fffffffu;
    u32 increment = 0;
    if constexpr (Mode == Tf32Rounding::Nearest) increment = 0xfffu + ((bits >> 13) & 1u);
    if constexpr (Mode == Tf32Rounding::Away) increment = 0x1000u;
    const u32 rounded = (magnitude >= 0x7f800000u ? magnitude : magnitude + increment) & 0xffffe000u;
    const u32 finite = SatFinite && rounded >= 0x7f800000u ? 0x7f7fe000u : rounded;
    const u32 result = finite | (bits & 0x80000000u);
    const u32 positive = Relu && (result & 0x80000000u) ? 0u : result;
    return magnitude > 0x7f800000u ? canonical_nan_f32 : positive;
  }
};

// The two 8-bit formats.
struct E4M3 {
  RW_LANE u8 store(float value) { return f32_to_e4m3(value, true); }
  RW_LANE float load(u8 stored) { return e4m3_to_f32(stored); }
};
struct E5M2 {
  RW_LANE u8 store(float value) { return f32_to_e5m2(value, true); }
  RW_LANE float load(u8 stored) { return e5m2_to_f32(stored); }
};
// .relu before rounding: negative becomes 0, NaN stays.
template <bool Relu>
RW_LANE float rectified(float value) {
  return Relu && value < 0 ? 0.0f : value;
}

// cvt.rn.satfinite.{e4m3x2,e5m2x2}.f32 d, a, b: a becomes the high byte of the 16 bits, b the low one.
template <class Small, bool Relu = false>
struct ConvertFp8 {
  using Result = u16;
  using A = float;
  using B = float;
  RW_LANE u16 apply(float a, float b) {
    return u16(Small::store(rectified<Relu>(a)) << 8 | Small::store(rectified<Relu>(b)));
  }
};
// cvt.rn.satfinite.{e4m3x2,e5m2x2}.f16x2
template <class Small, bool Relu = false>
struct ConvertFp8FromHalves {
  using Result = u16;
  using A = u32;
  RW_LANE u16 apply(u32 a) { return ConvertFp8<Small, Relu>::apply(f16_to_f32(u16(a >> 16)), f16_to_f32(u16(a))); }
};
// cvt.rn.f16x2.{e4m3x2,e5m2x2}: exact.
template <class Small, bool Relu = false>
struct ConvertHalvesFromFp8 {
  using Result = u32;
  using A = u16;
  RW_LANE u32 apply(u16 a) {
    const u16 low = f32_to_f16(Small::load(u8(a))), high = f32_to_f16(Small::load(u8(a >> 8)));
    return u32(relu_half<type::F16, Relu>(high)) << 16 | relu_half<type::F16, Relu>(low);
  }
};

}  // namespace ropewalk::machine::arithmetic
