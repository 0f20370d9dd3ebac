#include <algorithm>
#include <cmath>

#include "lib/problem/rotary.h"
#include "reference/rotary.h"
#include "reference/rounding.h"

namespace ropewalk::reference {
namespace {

// Frequencies that a kernel may use, in f32: one, or two neighbours.
struct Frequency {
  double exact;
  float low, high;
};

// theta^(-2 r / width) = 2^y, y = -2 r / width log2(theta), is computed in double precision: y is off by less than
// |y| 2^-50 (the logarithm, a division and a product), which moves 2^y by as much, and exp2 is right to 2^-51. Then it
// is rounded to f32, which gives the same number wherever no boundary of rounding is that near.
Frequency computed_frequency(const RotaryProblem& problem, i64 pair) {
  const double part = -2.0 * double(pair) / double(problem.width());
  const double exact = std::pow(problem.theta, part), y = part * std::log2(problem.theta);
  const double off = exact * (std::abs(y) + 2) * 0x1p-50;
  return {exact, float(exact - off), float(exact + off)};
}

// What a kernel's angle may be off the exact one: position and product are rounded to f32, which can be done here too,
// so that an angle that f32 holds has no error. A kernel that rounds less is nearer. The exact angle itself is off by
// 2^-51 where the frequency was computed; a given one has 24 bits, and its product with a position is exact.
double angle_error(i64 row, double angle, const Frequency& frequency, bool given) {
  const float position = float(row);
  const auto off = [&](float one) { return std::abs(double(position * one) - angle); };
  const double rounded =
      frequency.low == frequency.high ? off(frequency.low) : std::max(off(frequency.low), off(frequency.high));
  return rounded + (given ? 0 : angle * 0x1p-51);
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
    const bool given = frequencies != nullptr;
    const Frequency frequency = given ? Frequency{frequencies[pair], float(frequencies[pair]), float(frequencies[pair])}
                                      : computed_frequency(problem, pair);
    for (i64 row = 0; row < rows; ++row) {
      const i64 at = row * pairs + pair;
      const double angle = double(row) * frequency.exact;
      const double off = angle_error(row, angle, frequency, given);
      cosine.value[at] = std::cos(angle);
      sine.value[at] = std::sin(angle);
      cosine.bound[at] = table_bound(cosine.value[at], off, rounding, rounds_again);
      sine.bound[at] = table_bound(sine.value[at], off, rounding, rounds_again);
    }
  }
}

}  // namespace ropewalk::reference
