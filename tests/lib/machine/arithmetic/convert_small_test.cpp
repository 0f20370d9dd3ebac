// tf32 and fp8 conversions, against neighbours on either side and the lists of all values.
#include "lib/machine/arithmetic/convert_small.h"

#include <cmath>

#include "tests/lib/machine/arithmetic/format_table.h"
#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine::arithmetic {
namespace {

// Rounding to tf32 written with the two neighbours and their distances.
template <Tf32Rounding Mode>
u32 rounded_tf32(float a) {
  if (std::isnan(a)) return 0x7fffffff;
  if (std::isinf(a)) return f32_to_bits(a);
  const u32 low = f32_to_bits(std::fabs(a)) & ~0x1fffu, sign = std::signbit(a) ? 0x80000000u : 0;
  const double below = bits_to_f32(low), unit = std::ldexp(1.0, std::max(int(low >> 23), 1) - 127 - 10);
  const double rest = (std::fabs(double(a)) - below) / unit;
  const bool odd = (low >> 13) & 1u;
  const bool up = Mode == Tf32Rounding::Away      ? rest >= 0.5
                  : Mode == Tf32Rounding::Nearest ? rest > 0.5 || (rest == 0.5 && odd)
                                                  : false;
  return (low + (up ? 0x2000u : 0u)) | sign;
}
template <Tf32Rounding Mode>
void check_tf32() {
  check_one<ConvertTf32<Mode>>("cvt.tf32", sample_count, rounded_tf32<Mode>);
  check_one<ConvertTf32<Mode, true>>("cvt.relu.tf32", sample_count, [](float a) {
    return std::signbit(a) && !std::isnan(a) ? 0u : rounded_tf32<Mode>(a);
  });
  check_one<ConvertTf32<Mode, false, true>>("cvt.satfinite.tf32", sample_count, [](float a) {
    const u32 rounded = rounded_tf32<Mode>(a);
    return (rounded & 0x7fffffffu) == 0x7f800000u ? (rounded & 0x80000000u) | 0x7f7fe000u : rounded;
  });
}
TEST(Convert, Tf32) {
  check_tf32<Tf32Rounding::Nearest>();
  check_tf32<Tf32Rounding::Zero>();
  check_tf32<Tf32Rounding::Away>();
  EXPECT_EQ(truncated_tf32(bits_to_f32(0x3f801fff)), 1.0f);
}

struct SmallFormat {
  FormatTable table;
  u32 largest;
  u32 nan;
};
const SmallFormat e4m3{FormatTable(3, 7, 0x7f), 0x7e, 0x7f};
const SmallFormat e5m2{FormatTable(2, 15, 0x7c), 0x7b, 0x7f};

u32 saturated(const SmallFormat& format, float a) {
  if (std::isnan(a)) return format.nan;
  const u32 sign = std::signbit(a) ? 0x80 : 0;
  if (std::isinf(a)) return format.largest | sign;
  const u32 rounded = format.table.round(a, 0, Rounding::Nearest, 8, std::signbit(a));
  return (rounded & 0x7f) > format.largest ? format.largest | sign : rounded;
}

template <class Small>
void check_fp8(const SmallFormat& format) {
  check_two<ConvertFp8<Small>>("cvt.fp8x2.f32", sample_count,
                               [&](float a, float b) { return u16(saturated(format, a) << 8 | saturated(format, b)); });
  check_two<ConvertFp8<Small, true>>("cvt.relu.fp8x2.f32", sample_count, [&](float a, float b) {
    return u16(saturated(format, a < 0 ? 0.0f : a) << 8 | saturated(format, b < 0 ? 0.0f : b));
  });
  // Every f16, in either half.
  for (u32 a = 0; a < 0x10000; ++a) {
    const float value = float(half_value(f16_table(), u16(a)));
    const u32 expected = saturated(format, value);
    ASSERT_EQ(ConvertFp8FromHalves<Small>::apply(a << 16), expected << 8) << value;
    ASSERT_EQ(ConvertFp8FromHalves<Small>::apply(a), expected) << value;
  }
  // And every fp8 back.
  for (u32 a = 0; a < 0x10000; ++a) {
    const u32 got = ConvertHalvesFromFp8<Small>::apply(u16(a)), relu = ConvertHalvesFromFp8<Small, true>::apply(u16(a));
    for (u32 index = 0; index < 2; ++index) {
      const u32 bits = (a >> (8 * index)) & 0xff, magnitude = bits & 0x7f;
      const u16 half = u16(got >> (16 * index)), rectified_half = u16(relu >> (16 * index));
      if (magnitude > format.largest) {
        const bool infinite = magnitude == 0x7c && format.largest == 0x7b;
        ASSERT_EQ(half & 0x7fff, infinite ? 0x7c00 : 0x7fff) << bits;
        continue;
      }
      const double value = bits & 0x80 ? -format.table.value(magnitude) : format.table.value(magnitude);
      ASSERT_EQ(f64_to_bits(half_value(f16_table(), half)), f64_to_bits(value)) << bits;
      ASSERT_EQ(rectified_half, bits & 0x80 ? 0 : half) << bits;
    }
  }
}
TEST(Convert, E4M3) { check_fp8<E4M3>(e4m3); }
TEST(Convert, E5M2) { check_fp8<E5M2>(e5m2); }

}  // namespace
}  // namespace ropewalk::machine::arithmetic
