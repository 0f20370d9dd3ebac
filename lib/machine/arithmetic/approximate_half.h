// The .approx instructions of f16 and bf16 (PTX ISA, "Half Precision Floating Point Instructions": ex2, tanh): the
// single-precision ones, rounded. f16x2 and bf16x2 are Halves1 of these.
#pragma once
#include "lib/machine/arithmetic/approximate.h"
#include "lib/machine/arithmetic/half_lane.h"

namespace ropewalk::machine::arithmetic {

// ex2.approx{.ftz}.f16, ex2.approx.ftz.bf16. What f32 flushes is zero in f16, and is flushed in bf16 as well.
template <class Format, bool Ftz>
struct Ex2ApproxHalf {
  RW_ONE_OPERAND(u16);
  RW_LANE u16 apply(u16 a) {
    return flushed_half<Format, Ftz>(Format::store(exp2_f32<true>(Format::load(flushed_half<Format, Ftz>(a)))));
  }
};
// tanh.approx.f16, tanh.approx.bf16
template <class Format>
struct TanhApproxHalf {
  RW_ONE_OPERAND(u16);
  RW_LANE u16 apply(u16 a) { return Format::store(tanh_f32(Format::load(a))); }
};

}  // namespace ropewalk::machine::arithmetic
