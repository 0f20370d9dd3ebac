// What an attention kernel in f32 arithmetic may honestly be off, from the numbers that go into a row.
//
// u = 2^-24 and g(n) = n u / (1 - n u), the bound of n roundings in a row (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd edition, chapters 3 and 4). Whatever order a kernel sums in, and whether it fuses products:
//
//   score    D products and their sum, then the scale: |scale| |q| |k| g(D + 4), by Cauchy and Schwarz
//   softcap  the division, tanhf (2 units in the last place, CUDA C++ Programming Guide) and the product: 8 u |score|,
//            because x / cosh(x)^2 <= tanh(x), and errors from before do not grow: tanh has no slope above 1
//   bias     the product and the difference: 2 u (|bias| + |score|)
//   weight   exp(score - maximum): a rounding of the difference and of a base-2 exponent, expf (2 units), and for an
//            online softmax a factor exp(old - new maximum) for each of at most N rises of the maximum, whose own
//            differences add up to no more than maximum - score: a relative e^E - 1 with
//            E = error of the score + u (2 |score| + 2 |maximum| + (maximum - score)) + 6 u (N + 1)
//   sums     g(N + 2) over all terms of the numerator, as of the denominator; then the division and the store
//
// Tensor cores sum exact products of f16 or bf16 in f32, but truncate every summand to the largest of its group of at
// least four, and the group's sum (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores",
// 2021): n + n / 4 errors of up to 2 u each, less than 4 n u. Weights are rounded to the dtype before they meet v.
//
// Of the backward, from lse and delta as they are given:
//
//   slope    1 - tanh^2(x / softcap) has no slope above 0.77 / softcap; tanhf, the square and the difference: 12 u
//   weight   exp(score - lse): E = error of the score + u (2 |score| + 2 |lse| + |score - lse|) + 12 u
//   pull     g.v - delta: g(Dv + 2) |g| |v|, by Cauchy and Schwarz, and the difference; times weight and slope 4 u
//   sums     g(n + 3) of the sum of all sizes, then the scale and the store. Errors and sizes of a gradient's terms are
//            summed up as factor x |k|, of q or g alike, in single precision: a sum of n numbers of one sign is off by
//            g(n + 4) with their rounding, which is added
//
// Double precision is off by 2^-29 of all this, for which u is a little larger than it is. What belongs to a pair of a
// query and a key stands in fast/pair_scores.h and fast/kernels.cpp, what belongs to a row or an element here.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/problem/attention.h"
#include "reference/fast/kernels.h"
#include "reference/kernel_rounding.h"

namespace ropewalk::reference {

// Of an element, from its value: constant + per_size |value|, then the store.
class ElementBound {
 public:
  ElementBound(Dtype dtype, double constant, double per_size)
      : rounding_(Rounding::of(dtype)), rounds_again_(dtype != Dtype::F32), constant_(constant), per_size_(per_size) {}

  // `more` is added to the constant.
  double of(double value, double more = 0) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double size = std::abs(value), arithmetic = more + constant_ + per_size_ * size, reach = size + arithmetic;
    const double stored = arithmetic + (rounds_again_ ? rounding_.error(reach) : 0);
    const bool is_finite = arithmetic < infinity && (!rounds_again_ || reach < rounding_.overflow);
    return is_finite ? stored : infinity;
  }

 private:
  Rounding rounding_;
  bool rounds_again_;
  double constant_, per_size_;
};

class AttentionBound {
 public:
  AttentionBound(const AttentionProblem& problem, bool tensor_cores) : problem_(problem), tensor_cores_(tensor_cores) {}

  // Of a score before softcap and bias: relative to |scale| |q| |k|, and what does not grow with it.
  double of_products() const { return summed(problem_.head_dim + 4); }
  double underflow() const { return double(problem_.head_dim) * f32_least_normal * std::abs(problem_.score_scale()); }

  // Of the elements of an output row, from the sums over its weights.
  ElementBound of_output(const RowSums& sums) const {
    const double summing = in_a_row(sums.terms + 2), denominator = sums.errors / sums.weights + summing;
    if (!(denominator < 0.5)) return {problem_.dtype, std::numeric_limits<double>::infinity(), 0};
    const double all_terms = tensor_cores_ ? summed(sums.terms + 2) : summing;
    const double numerator =
        (sums.moved + of_rounded_weights(sums) + (sums.values + sums.moved) * all_terms) / sums.weights;
    const double lost = double(sums.terms + 1) * f32_least_normal * std::max(1.0, sums.values / sums.weights);
    return {problem_.dtype, numerator / (1 - denominator) + lost, denominator / (1 - denominator) + 3 * u};
  }
  // The logarithm (logf, 1 unit), its sum with the maximum, and what the denominator is off.
  double of_lse(double value, const RowSums& sums) const {
    const double denominator = sums.errors / sums.weights + in_a_row(sums.terms + 2);
    if (!(denominator < 0.5)) return std::numeric_limits<double>::infinity();
    const double logarithm = std::abs(std::log(sums.weights));
    return -std::log1p(-denominator) + u * (2 * std::abs(sums.largest) + 4 * logarithm + 2 * std::abs(value)) +
           f32_least_normal;
  }
  // Of a weight that no product went into, relative.
  static double of_sink(double sink, i64 terms, double largest) {
    const double all = u * (2 * std::abs(sink) + 2 * std::abs(largest) + (largest - sink) + 6 * double(terms + 1));
    return all <= 1 ? all * (1 + all) : std::numeric_limits<double>::infinity();
  }

  // Of a row's pairs in the backward, for sums of so many terms of dq, and of dk and dv. `length` is that of the row of
  // the output's gradient.
  GradientRow of_row(double lse, double delta, double length, i64 terms_of_q, i64 terms_of_k, bool has_slope) const {
    const i64 columns = problem_.columns_of_values();
    return {lse,
            delta,
            length * in_a_row(columns + 2),
            double(columns) * f32_least_normal,
            nullptr,
            has_slope ? 0.77 / problem_.softcap : 0,
            has_slope ? 12 * u : 0,
            in_a_row(terms_of_q + 3),
            in_a_row(terms_of_k + 3),
            in_a_row(terms_of_k + 3)};
  }
  // Of a gradient's elements, to which their terms' share is added.
  ElementBound of_gradient(i64 terms) const {
    return {problem_.dtype, double(2 * terms + 2) * f32_least_normal, 3 * u};
  }
  // What a share is multiplied by that was summed up in single precision.
  static double of_shares(i64 terms) { return 1 + 2 * in_a_row(terms + 4); }

 private:
  static constexpr double u = kernel_roundoff;
  // Absolute, of the numerator.
  double of_rounded_weights(const RowSums& sums) const {
    if (!tensor_cores_) return 0;
    const Rounding rounding = Rounding::of(problem_.dtype);
    return (sums.values + sums.moved) * rounding.relative + double(sums.terms) * rounding.least * sums.largest_value;
  }
  // Of a sum of so many products.
  double summed(i64 terms) const { return in_a_row(tensor_cores_ ? 4 * terms : terms); }
  static double in_a_row(i64 roundings) {
    const double all = double(roundings) * u;
    return all < 0.5 ? all / (1 - all) : std::numeric_limits<double>::infinity();
  }

  const AttentionProblem& problem_;
  bool tensor_cores_;
};

}  // namespace ropewalk::reference
