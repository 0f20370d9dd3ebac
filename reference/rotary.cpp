#include "reference/rotary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/half.h"
#include "reference/rounding.h"

namespace ropewalk::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// a - b (or a + b, with -b) where a and b are products of two f32 numbers, and what an f32 kernel may be off.
//
// With u = 2^-24 and every operation rounding to nearest, a kernel that multiplies and then subtracts has
//   fl(fl(a) - fl(b)) = (a (1 + d1) - b (1 + d2)) (1 + d3),  |d| <= u,
// which is off by at most u (|a| + |b|) + u (|a - b| + u (|a| + |b|)), and by 2^-150 more for each product that falls
// below the normal numbers (a sum of f32 numbers is exact there). A kernel that fuses one product into the sum lacks
// one of the errors. Double precision holds a and b exactly and rounds the difference by 2^-53 of it. Storing rounds to
// the output's format, by half a unit in the last place of the largest value that the kernel may have there.
void expect_difference(double a, double b, const Rounding& rounding, bool rounds_again, double* value, double* bound) {
  const double exact = a - b, products = std::abs(a) + std::abs(b), magnitude = std::abs(exact);
  const double arithmetic =
      f32_roundoff * (products * (1 + f32_roundoff) + magnitude) + 2 * f32_underflow + 0x1p-52 * magnitude;
  const double reach = magnitude + arithmetic;
  *value = exact;
  *bound = arithmetic + (rounds_again ? rounding.error(reach) : 0);
  if (reach < rounding.overflow && products < 0x1p127) return;
  // Not finite, or so near the largest number that it is the rounding which decides.
  if (!std::isfinite(exact)) {
    *bound = 0;
  } else if (magnitude - arithmetic >= rounding.overflow && products < 0x1p127) {
    *value = std::copysign(infinity, exact);
    *bound = 0;
  } else {
    *bound = infinity;
  }
}

// The number nearest to it that the dtype has, as f32 arithmetic that stores its result comes to it.
double stored(Dtype dtype, double value) {
  const float number = float(value);
  if (dtype == Dtype::F16) return f16_to_f32(f32_to_f16(number));
  return dtype == Dtype::BF16 ? bf16_to_f32(f32_to_bf16(number)) : number;
}

// a b - c d with every step stored in the dtype. Double precision holds the products exactly; it rounds the difference,
// which is harmless: it has more than twice as many digits and two (Figueroa, "When is double rounding innocuous?").
double difference_in_steps(double a, double b, double c, double d, Dtype dtype) {
  return stored(dtype, stored(dtype, a * b) - stored(dtype, c * d));
}

// The rows of all heads of one token.
struct TokenRotation {
  RotaryLayout layout;
  i64 heads, head_dim, pairs;
  double direction;
  Rounding rounding;
  bool rounds_again;
  Dtype dtype;
  bool in_steps;

  TokenRotation(const RotaryProblem& problem, i64 of_heads)
      : layout(problem.layout),
        heads(of_heads),
        head_dim(problem.head_dim),
        pairs(problem.width() / 2),
        direction(problem.backward ? -1 : 1),
        rounding(Rounding::of(problem.dtype)),
        rounds_again(problem.dtype != Dtype::F32),
        dtype(problem.dtype),
        in_steps(problem.rounding == RotaryRounding::Steps) {}

  void turn(const double* x, const double* cosine, const double* sine, ExpectedValues out) const {
    const bool half = layout == RotaryLayout::Half;
    for (i64 head = 0; head < heads; ++head, x += head_dim, out.value += head_dim, out.bound += head_dim) {
      for (i64 pair = 0; pair < pairs; ++pair) {
        const i64 first = half ? pair : 2 * pair, second = half ? pair + pairs : 2 * pair + 1;
        const double c = cosine[pair], s = sine[pair] * direction;
        const double x1 = x[first], x2 = x[second];
        if (in_steps) {
          const double rounded_c = stored(dtype, c), rounded_s = stored(dtype, s);
          out.value[first] = difference_in_steps(x1, rounded_c, x2, rounded_s, dtype);
          out.value[second] = difference_in_steps(x1, rounded_s, x2, -rounded_c, dtype);
          out.bound[first] = out.bound[second] = 0;
          continue;
        }
        expect_difference(x1 * c, x2 * s, rounding, rounds_again, &out.value[first], &out.bound[first]);
        expect_difference(x1 * s, -(x2 * c), rounding, rounds_again, &out.value[second], &out.bound[second]);
      }
      leave(x + 2 * pairs, head_dim - 2 * pairs, {out.value + 2 * pairs, out.bound + 2 * pairs});
    }
  }

  static void leave(const double* x, i64 count, ExpectedValues out) {
    std::copy_n(x, count, out.value);
    std::fill_n(out.bound, count, 0.0);
  }
};

}  // namespace

void rotary_apply(const RotaryProblem& problem, const double* x, RotaryTable table, ExpectedValues out) {
  const TokenRotation rotation(problem, problem.heads);
  const i64 token_elements = problem.heads * problem.head_dim;
  i64 row = 0;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 tokens = problem.tokens_of_sequence(sequence), offset = problem.offset_of_sequence(sequence);
    for (i64 token = 0; token < tokens; ++token, ++row) {
      const i64 at = row * token_elements, entry = (offset + token) * rotation.pairs;
      rotation.turn(x + at, table.cosine + entry, table.sine + entry, {out.value + at, out.bound + at});
    }
  }
  const i64 rows = problem.varlen() ? problem.tokens : problem.batch * problem.tokens;
  const i64 at = row * token_elements, left = (rows - row) * token_elements;
  TokenRotation::leave(x + at, left, {out.value + at, out.bound + at});
  if (!problem.inplace) std::fill_n(out.bound + at, left, infinity);
}

void rotary_at_positions(const RotaryProblem& problem, i64 heads, const double* x, const i64* positions,
                         RotaryTable table, ExpectedValues out) {
  const TokenRotation rotation(problem, heads);
  const i64 token_elements = heads * problem.head_dim;
  for (i64 token = 0; token < problem.batch * problem.tokens; ++token) {
    const i64 at = token * token_elements, entry = positions[token] * rotation.pairs;
    rotation.turn(x + at, table.cosine + entry, table.sine + entry, {out.value + at, out.bound + at});
  }
}

}  // namespace ropewalk::reference
