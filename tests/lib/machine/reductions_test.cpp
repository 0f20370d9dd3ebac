// redux.sync of floats.
#include <cmath>

#include "tests/lib/machine/run_lines.h"

namespace ropewalk {
namespace {

// What the lanes of a warp have: numbers of both signs, and NaN in lane 5 of the second warp, or in all of its lanes.
float value_of(u32 thread, u32 number) {
  if (thread >= 32 && (number == 1 || thread == 37)) return NAN;
  if (number == 7) return thread % 2 ? -0.0f : 0.0f;
  return float(i32(thread * 7 % 32) - 20) * 0.5f;
}

// Of lanes 0 to 15, and of the others.
float reduced(u32 thread, u32 number, bool is_maximum, bool of_magnitudes, bool propagates) {
  float result = NAN;
  bool is_nan = false;
  for (u32 lane = 0; lane < 16; ++lane) {
    float value = value_of(thread / 16 * 16 + lane, number);
    if (of_magnitudes) value = std::abs(value);
    is_nan |= std::isnan(value);
    if (std::isnan(value)) continue;
    const bool is_first = std::isnan(result);
    const bool less = value < result || (value == result && std::signbit(value) && !std::signbit(result));
    const bool more = value > result || (value == result && !std::signbit(value) && std::signbit(result));
    if (is_first || (is_maximum ? more : less)) result = value;
  }
  return propagates && is_nan ? NAN : result;
}

TEST(Reductions, of_floats_are_extremes_of_the_lanes_that_are_named) {
  for (const bool is_maximum : {false, true}) {
    for (const bool of_magnitudes : {false, true}) {
      for (const bool propagates : {false, true}) {
        const std::string opcode = fmt::format("redux.sync.{}{}{}.f32", is_maximum ? "max" : "min",
                                               of_magnitudes ? ".abs" : "", propagates ? ".NaN" : "");
        expect_results(
            // (thread * 7 % 32 - 20) * 0.5, zeros of both signs, NaN.
            "mul.lo.u32 %r3, %r1, 7; and.b32 %r3, %r3, 31; sub.s32 %r3, %r3, 20; cvt.rn.f32.s32 %f1, %r3;\n"
            "mul.f32 %f1, %f1, 0f3F000000; and.b32 %r4, %r1, 1; shl.b32 %r4, %r4, 31; mov.b32 %f2, %r4;\n"
            "setp.eq.s32 %p1, %r2, 7; selp.f32 %f1, %f2, %f1, %p1; mov.f32 %f3, 0f7FC00000;\n"
            "setp.eq.s32 %p1, %r2, 1; setp.eq.or.s32 %p1, %r1, 37, %p1; setp.ge.and.s32 %p1, %r1, 32, %p1;\n"
            "selp.f32 %f1, %f3, %f1, %p1; and.b32 %r5, %r1, 16; shl.b32 %r6, 0xffff, %r5;\n" +
                opcode + " %f4, %f1, %r6; mov.b32 %r9, %f4;\n",
            [&](u32 thread, u32 number) {
              const float result = reduced(thread, number, is_maximum, of_magnitudes, propagates);
              return std::isnan(result) ? 0x7fffffffu : __builtin_bit_cast(u32, result);
            });
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk
