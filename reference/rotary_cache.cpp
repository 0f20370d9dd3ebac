#include <algorithm>
#include <cmath>

#include "reference/rotary.h"
#include "reference/rounding.h"

namespace ropewalk {
namespace {

// What a kernel's angle may be off, as a part of the angle itself.
//
// The frequency theta^(-2 r / width) = 2^y, y = -2 r / width log2(theta), is computed in double precision: y is off by
// less than |y| 2^-50 (the logarithm, a division and a product), which moves 2^y by as much, and exp2 is right to
// 2^-51; then it is rounded to f32 by u. Given frequencies are taken as they are. Position x frequency is rounded once,
// and a position from 2^24 on once before. The reference's own frequency and angle are off by 2^-51.
double angle_error(double position, double y, bool given) {
  const double frequency = given ? 0 : f32_roundoff + (std::abs(y) + 2) * 0x1p-50;
  const double converted = position >= 0x1p24 ? f32_roundoff : 0;
  return (1 + frequency) * (1 + converted) * (1 + f32_roundoff) - 1 + 0x1p-51;
}

// cos and sin move by no more than the angle does, and lie in [-1, 1]. sincosf is right to 2 units in the last place
// (CUDA C++ Programming Guide, "Mathematical Functions"), a unit being twice the error of rounding to f32. Then the
// value is rounded to the table's format.
double table_bound(double value, double angle_off, const Rounding& rounding, bool rounds_again) {
  const double moved = std::min(angle_off, 2.0);
  const double reach = std::min(std::abs(value) + moved, 1.0);
  const double function = 4 * Rounding::of(Dtype::F32).error(reach) + 0x1p-52;
  return moved + function + (rounds_again ? rounding.error(reach + function) : 0);
}

}  // namespace

void rotary_cache(const RotaryProblem& problem, const double* frequencies, ExpectedValues cosine, ExpectedValues sine) {
  const i64 pairs = problem.width() / 2, rows = problem.table_rows();
  const Rounding rounding = Rounding::of(problem.cache_dtype);
  const bool rounds_again = problem.cache_dtype != Dtype::F32;
  for (i64 pair = 0; pair < pairs; ++pair) {
    const double y = -2.0 * double(pair) / double(problem.width()) * std::log2(problem.theta);
    const double frequency =
        frequencies ? frequencies[pair] : std::pow(problem.theta, -2.0 * double(pair) / double(problem.width()));
    for (i64 row = 0; row < rows; ++row) {
      const i64 at = row * pairs + pair;
      const double angle = double(row) * frequency;
      const double off = angle * angle_error(double(row), y, frequencies != nullptr);
      cosine.value[at] = std::cos(angle);
      sine.value[at] = std::sin(angle);
      cosine.bound[at] = table_bound(cosine.value[at], off, rounding, rounds_again);
      sine.bound[at] = table_bound(sine.value[at], off, rounding, rounds_again);
    }
  }
}

}  // namespace ropewalk
