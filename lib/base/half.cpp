#include "lib/base/half.h"

namespace ropewalk {
namespace {

// An 8-bit float format. Constants instead of arithmetic on them, so that a conversion is a few operations.
struct Format {
  u32 shift;    // fraction bits of binary32 that it lacks
  u32 rebias;   // difference of the biases, at the position of binary32's exponent
  float unit;   // 2^23 times its smallest subnormal: adding it rounds to a multiple of that
  u32 largest;  // bits of the largest finite value
  u32 beyond;   // bits of what an overflow gives when it does not saturate
};
constexpr Format e4m3{20, 120u << 23, 0x1p14f, 0x7e, 0x7f};
constexpr Format e5m2{21, 112u << 23, 0x1p7f, 0x7b, 0x7c};
constexpr u32 canonical_nan = 0x7f;

u8 to_format(float value, bool saturate, const Format& format) {
  const u32 sign = (f32_to_bits(value) >> 24) & 0x80u;
  const u32 magnitude = f32_to_bits(value) & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return u8(canonical_nan);
  // Normal results: add half of the dropped unit, ties to even, and move the exponent. A carry goes into the exponent.
  const u32 half = (1u << (format.shift - 1)) - 1 + ((magnitude >> format.shift) & 1u);
  const u32 normal = (magnitude + half - format.rebias) >> format.shift;
  const u32 subnormal = f32_to_bits(bits_to_f32(magnitude) + format.unit) - f32_to_bits(format.unit);
  u32 result = magnitude < format.rebias + (1u << 23) ? subnormal : normal;
  if (result > format.largest) result = saturate ? format.largest : format.beyond;
  return u8(result | sign);
}

}  // namespace

u8 f32_to_e4m3(float value, bool saturate) { return to_format(value, saturate, e4m3); }

u8 f32_to_e5m2(float value, bool saturate) { return to_format(value, saturate, e5m2); }

}  // namespace ropewalk
