// Two single-precision values in 64 bits (PTX ISA: add, sub, mul, fma of .f32x2), and min and max of three.
#pragma once
#include "lib/machine/arithmetic/float32.h"

namespace ropewalk::machine::arithmetic {

// The first value stands in the low half.
RW_LANE float low_f32(u64 pair) { return bits_to_f32(u32(pair)); }
RW_LANE float high_f32(u64 pair) { return bits_to_f32(u32(pair >> 32)); }
RW_LANE u64 pair_of_f32(float low, float high) { return u64(f32_to_bits(high)) << 32 | f32_to_bits(low); }

// A form of two or three floats on both halves of its operands.
template <class Op>
struct Pair32Of2 {
  RW_TWO_OPERANDS(u64);
  RW_LANE u64 apply(u64 a, u64 b) {
    return pair_of_f32(Op::apply(low_f32(a), low_f32(b)), Op::apply(high_f32(a), high_f32(b)));
  }
};
template <class Op>
struct Pair32Of3 {
  RW_THREE_OPERANDS(u64);
  RW_LANE u64 apply(u64 a, u64 b, u64 c) {
    return pair_of_f32(Op::apply(low_f32(a), low_f32(b), low_f32(c)), Op::apply(high_f32(a), high_f32(b), high_f32(c)));
  }
};

// min and max of three: as of two, twice. Abs: .abs, of the magnitudes.
template <bool Maximum, bool Ftz, bool PropagateNan, bool Abs>
struct Extreme3F32 {
  RW_THREE_OPERANDS(float);
  RW_LANE float magnitude(float a) { return Abs ? bits_to_f32(f32_to_bits(a) & 0x7fffffffu) : a; }
  RW_LANE float apply(float a, float b, float c) {
    using Two = ExtremeF32<Maximum, Ftz, PropagateNan, false>;
    return Two::apply(Two::apply(magnitude(a), magnitude(b)), magnitude(c));
  }
};

}  // namespace ropewalk::machine::arithmetic
