// Arithmetic on f16, bf16 and their pairs (PTX ISA, "Half Precision Floating Point Instructions"): add sub mul fma min
// max abs neg. The pairs are Halves1, Halves2, Halves3 (lane.h) of the single forms. NaN results are 0x7fff. ex2 and
// tanh stand in approximate.h, comparisons in compare.h.
//
// Why one float operation and a rounding give the right bits: rounding to p' and then to p bits is harmless for sums
// and products when p' >= 2p + 2 (Figueroa, 1995), here 24 >= 2 * 11 + 2, if no subnormal intervenes. Subnormals:
// - f16: every sum and product that is a subnormal of f16 is a normal float, sums are exact there, and products always
// are
//   (22 bits);
// - bf16 has float's range: a sum that is subnormal is exact, a product has 16 bits; where float drops one of them
// (under
//   2^-149) the product is less than 2^-134, float's rounding leaves at most that, and bf16's, half of whose smallest
//   subnormal it is, gives 0 for a tie as well.
#pragma once
#include "lib/machine/arithmetic/half_lane.h"

namespace ropewalk::machine::arithmetic {

template <class Format, bool Ftz = false, bool Sat = false, bool Relu = false>
struct AddHalf {
  RW_TWO_OPERANDS(u16);
  RW_LANE u16 apply(u16 a, u16 b) {
    const float x = Format::load(flushed_half<Format, Ftz>(a)), y = Format::load(flushed_half<Format, Ftz>(b));
    return finished_half<Format, Ftz, Sat, Relu>(Format::store(x + y));
  }
};
template <class Format, bool Ftz = false, bool Sat = false, bool Relu = false>
struct SubHalf {
  RW_TWO_OPERANDS(u16);
  RW_LANE u16 apply(u16 a, u16 b) { return AddHalf<Format, Ftz, Sat, Relu>::apply(a, b ^ 0x8000u); }
};
template <class Format, bool Ftz = false, bool Sat = false, bool Relu = false>
struct MulHalf {
  RW_TWO_OPERANDS(u16);
  RW_LANE u16 apply(u16 a, u16 b) {
    const float x = Format::load(flushed_half<Format, Ftz>(a)), y = Format::load(flushed_half<Format, Ftz>(b));
    return finished_half<Format, Ftz, Sat, Relu>(Format::store(x * y));
  }
};

// a + b rounded to odd, as odd_sum (fused.h), of floats and in integers, which become vector code.
RW_LANE float odd_float_sum(float a, float b) {
  const ExactSum<float> exact = exact_sum(a, b);
  const u32 bits = f32_to_bits(exact.sum), error = f32_to_bits(exact.error);
  const u32 lost = (error & 0x7fffffffu) - 1u;  // beyond any finite number where nothing was lost, or for NaN
  const u32 towards = 1u - ((bits ^ error) >> 31 << 1);
  return bits_to_f32(bits + (lost < 0x7f7fffffu ? towards & ((bits & 1u) - 1u) : 0u));
}
// x * y + z of values of the format, ready to be rounded to it: the sum is rounded to odd.
// f16: the product is exact in float. bf16: it has 16 bits, and is exact down to 2^-134, half of the smallest number of
// the format; what is less decides the sign of a zero alone. A product that overflows is added in smaller units: a
// finite sum then takes a z of the same size, and is exact.
template <class Format>
RW_LANE float fused_half(float x, float y, float z) {
  const float product = x * y;
  const float sum = odd_float_sum(product, z);
  if constexpr (Format::infinity == type::F16::infinity) return sum;
  constexpr float unit = 0x1p-64f;
  const float large = ((x * unit) * (y * unit) + z * unit * unit) * 0x1p64f * 0x1p64f;
  const float tiny = x == 0.0f || y == 0.0f ? sum : product;
  const float below = product == 0.0f && z == 0.0f ? tiny : sum;
  // Of finite factors; an infinite one gives what it gives.
  const u32 infinity = 0x7f800000u, factors = larger(f32_to_bits(x) & 0x7fffffffu, f32_to_bits(y) & 0x7fffffffu);
  const bool overflows = (f32_to_bits(product) & 0x7fffffffu) == infinity && factors < infinity;
  return overflows ? large : below;
}
template <class Format, bool Ftz = false, bool Sat = false, bool Relu = false>
struct FmaHalf {
  RW_THREE_OPERANDS(u16);
  RW_LANE u16 apply(u16 a, u16 b, u16 c) {
    const float x = Format::load(flushed_half<Format, Ftz>(a)), y = Format::load(flushed_half<Format, Ftz>(b)),
                z = Format::load(flushed_half<Format, Ftz>(c));
    return finished_half<Format, Ftz, Sat, Relu>(Format::store(fused_half<Format>(x, y, z)));
  }
};

// Signed integers in the order of the numbers, -0 below +0.
RW_LANE i16 ordered_half(u16 a) { return i16(a ^ (i16(a) < 0 ? 0x7fffu : 0u)); }

// min, max: a number wins over NaN, unless PropagateNan (.NaN). XorsignAbs: of magnitudes, with the exclusive or of the
// signs.
template <class Format, bool Maximum, bool Ftz = false, bool PropagateNan = false, bool XorsignAbs = false>
struct ExtremeHalf {
  RW_TWO_OPERANDS(u16);
  RW_LANE u16 apply(u16 a, u16 b) {
    u16 x = flushed_half<Format, Ftz>(a), y = flushed_half<Format, Ftz>(b);
    const u16 sign = (x ^ y) & 0x8000u;
    if constexpr (XorsignAbs) x &= 0x7fffu, y &= 0x7fffu;
    const bool first = Maximum ? ordered_half(x) > ordered_half(y) : ordered_half(x) < ordered_half(y);
    const bool nan_x = is_nan_half<Format>(x), nan_y = is_nan_half<Format>(y);
    u16 result = nan_y | (first & !nan_x) ? x : y;
    if constexpr (XorsignAbs) result = u16(result | sign);
    return (PropagateNan ? nan_x | nan_y : nan_x & nan_y) ? u16(Format::canonical_nan) : result;
  }
};
template <class Format, bool Ftz = false, bool PropagateNan = false, bool XorsignAbs = false>
using MinHalf = ExtremeHalf<Format, false, Ftz, PropagateNan, XorsignAbs>;
template <class Format, bool Ftz = false, bool PropagateNan = false, bool XorsignAbs = false>
using MaxHalf = ExtremeHalf<Format, true, Ftz, PropagateNan, XorsignAbs>;

// Only the sign changes, also of a NaN (whose result the manual leaves open).
template <class Format, bool Ftz = false>
struct AbsHalf {
  RW_ONE_OPERAND(u16);
  RW_LANE u16 apply(u16 a) { return flushed_half<Format, Ftz>(a) & 0x7fffu; }
};
template <class Format, bool Ftz = false>
struct NegHalf {
  RW_ONE_OPERAND(u16);
  RW_LANE u16 apply(u16 a) { return flushed_half<Format, Ftz>(a) ^ 0x8000u; }
};

}  // namespace ropewalk::machine::arithmetic
