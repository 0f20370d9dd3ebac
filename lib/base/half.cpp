#include "lib/base/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropewalk {
namespace {

// The shape of an 8-bit float format.
struct Format {
  int fraction_bits;
  int bias;
  u32 largest;  // bits of the largest finite value
  u32 beyond;   // bits of what an overflow gives when it does not saturate
  u32 nan;
};
constexpr Format e4m3{3, 7, 0x7e, 0x7f, 0x7f};
constexpr Format e5m2{2, 15, 0x7b, 0x7c, 0x7f};

// The magnitude of `bits`, which is finite.
float magnitude_of(u32 bits, const Format& format) {
  const int exponent = int(bits >> format.fraction_bits);
  const int fraction = int(bits & ((1u << format.fraction_bits) - 1));
  const int implicit = exponent ? 1 << format.fraction_bits : 0;
  return std::ldexp(float(implicit + fraction), (exponent ? exponent : 1) - format.bias - format.fraction_bits);
}

u8 to_format(float value, bool saturate, const Format& format) {
  const u32 sign = (f32_to_bits(value) >> 24) & 0x80u;
  if (std::isnan(value)) return u8(format.nan);
  const float magnitude = std::fabs(value);
  u32 result = format.beyond;
  if (magnitude < 0x1p20f) {
    const int smallest = 1 - format.bias;
    const int exponent = magnitude == 0 ? smallest : std::max(std::ilogb(magnitude), smallest);
    // In units of the last place: below 2^fraction_bits it is subnormal, and rounding up may reach the next exponent,
    // which the addition below carries into the exponent's bits.
    const float units = std::ldexp(magnitude, format.fraction_bits - exponent);
    const float whole = std::floor(units);
    const float rest = units - whole;
    u32 rounded = u32(whole);
    if (rest > 0.5f || (rest == 0.5f && (rounded & 1u))) ++rounded;
    result = (u32(exponent - smallest) << format.fraction_bits) + rounded;
  }
  if (result > format.largest) result = saturate ? format.largest : format.beyond;
  return u8(result | sign);
}

}  // namespace

u16 f64_to_f16(double value) { return f32_to_f16(f64_to_f32_odd(value)); }

u16 f64_to_bf16(double value) { return f32_to_bf16(f64_to_f32_odd(value)); }

float e4m3_to_f32(u8 bits) {
  const u32 magnitude = bits & 0x7fu;
  const float value = magnitude == 0x7f ? std::numeric_limits<float>::quiet_NaN() : magnitude_of(magnitude, e4m3);
  return bits & 0x80u ? -value : value;
}

float e5m2_to_f32(u8 bits) {
  const u32 magnitude = bits & 0x7fu;
  float value = 0;
  if (magnitude > 0x7c) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else {
    value = magnitude == 0x7c ? std::numeric_limits<float>::infinity() : magnitude_of(magnitude, e5m2);
  }
  return bits & 0x80u ? -value : value;
}

u8 f32_to_e4m3(float value, bool saturate) { return to_format(value, saturate, e4m3); }

u8 f32_to_e5m2(float value, bool saturate) { return to_format(value, saturate, e5m2); }

}  // namespace ropewalk
