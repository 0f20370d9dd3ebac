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
//   pull     g.v - delta: g(Dv + 2) sum |g v| and the difference; times weight and slope 4 u
//   sums     g(n + 3) of the sum of all sizes, then the scale and the store
//
// Double precision is off by 2^-29 of all this, for which u is a little larger than it is.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/problem/attention.h"
#include "reference/rounding.h"

namespace ropewalk {

// What a row's bound is made from. Weights are exp(score - largest score).
struct WeightSums {
  i64 terms = 0;
  double largest_score = 0;
  double weights = 0;  // sum of weights
  double errors = 0;   // sum of weight x its relative error
  double values = 0;   // sum of weight x |v|, |v| the largest of the row of v
  double moved = 0;    // sum of weight x its relative error x |v|
  double largest = 0;  // |v|, of all

  void add(double weight, double error, double largest_value) {
    weights += weight;
    errors += weight * error;
    values += weight * largest_value;
    moved += weight * error * largest_value;
    largest = std::max(largest, largest_value);
  }
};

class AttentionBound {
 public:
  AttentionBound(const AttentionProblem& problem, bool tensor_cores)
      : tensor_cores_(tensor_cores),
        product_(summed(problem.head_dim + 4)),
        underflow_(double(problem.head_dim) * f32_least_normal * std::abs(problem.score_scale())),
        rounding_(Rounding::of(problem.dtype)),
        rounds_again_(problem.dtype != Dtype::F32) {}

  // Of a score before softcap and bias; lengths: |scale| |q| |k|.
  double of_product(double lengths) const { return std::abs(lengths) * product_ + underflow_; }
  double of_softcap(double capped) const { return 8 * u * std::abs(capped); }
  double of_bias(double bias, double score) const { return 2 * u * (std::abs(bias) + std::abs(score)); }

  // Relative, of a weight.
  double of_weight(double score, double error, const WeightSums& sums) const {
    const double largest = sums.largest_score;
    const double exponent = error + u * (2 * std::abs(score) + 2 * std::abs(largest) + (largest - score));
    const double all = exponent + 6 * u * double(sums.terms + 1);
    // e^x - 1 <= x (1 + x) up to 1; what is beyond has no bound worth the name.
    return all <= 1 ? all * (1 + all) : std::numeric_limits<double>::infinity();
  }

  double of_output(double value, const WeightSums& sums) const {
    const double summing = in_a_row(sums.terms + 2), denominator = sums.errors / sums.weights + summing;
    if (!(denominator < 0.5)) return std::numeric_limits<double>::infinity();
    const double all_terms = tensor_cores_ ? summed(sums.terms + 2) : summing;
    const double numerator =
        (sums.moved + of_rounded_weights(sums) + (sums.values + sums.moved) * all_terms) / sums.weights;
    const double lost = double(sums.terms + 1) * f32_least_normal * std::max(1.0, sums.values / sums.weights);
    const double arithmetic =
        (numerator + std::abs(value) * denominator) / (1 - denominator) + 3 * u * std::abs(value) + lost;
    if (!rounds_again_) return arithmetic;
    const double reach = std::abs(value) + arithmetic;
    return reach < rounding_.overflow ? arithmetic + rounding_.error(reach) : std::numeric_limits<double>::infinity();
  }

  // Absolute, of the slope of softcap, from the error of the score.
  double of_softcap_slope(double error, double softcap) const { return 0.77 * error / softcap + 12 * u; }
  // Relative, of a weight exp(score - lse).
  double of_given_weight(double score, double error, double lse) const {
    const double all = error + u * (2 * std::abs(score) + 2 * std::abs(lse) + std::abs(score - lse)) + 12 * u;
    return all <= 1 ? all * (1 + all) : std::numeric_limits<double>::infinity();
  }
  // Of the sum of products, `size` that of their sizes, before the difference with delta.
  double of_pull(double size, i64 terms) const { return size * in_a_row(terms + 2) + double(terms) * f32_least_normal; }
  // The largest size that a product of a weight, a difference and a slope can have; each with its own error.
  static double largest_product(double weight, double weight_error, double difference, double slope) {
    return (weight * (1 + weight_error) + f32_least_normal) * difference * slope * (1 + 4 * u);
  }
  // Of a gradient: `moved` the sum of the errors of its terms, `size` that of their sizes, both times the scale.
  double of_gradient(double value, double moved, double size, i64 terms) const {
    const double summing = in_a_row(terms + 3);
    const double arithmetic = moved + size * summing + 3 * u * std::abs(value) + double(terms + 1) * f32_least_normal;
    if (!(arithmetic < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    if (!rounds_again_) return arithmetic;
    const double reach = std::abs(value) + arithmetic;
    return reach < rounding_.overflow ? arithmetic + rounding_.error(reach) : std::numeric_limits<double>::infinity();
  }
  static double roundoff() { return u; }

  // The logarithm (logf, 1 unit), its sum with the maximum, and what the denominator is off.
  double of_lse(double value, const WeightSums& sums) const {
    const double denominator = sums.errors / sums.weights + in_a_row(sums.terms + 2);
    if (!(denominator < 0.5)) return std::numeric_limits<double>::infinity();
    const double logarithm = std::abs(std::log(sums.weights));
    return -std::log1p(-denominator) + u * (2 * std::abs(sums.largest_score) + 4 * logarithm + 2 * std::abs(value)) +
           f32_least_normal;
  }

 private:
  // Absolute, of the numerator.
  double of_rounded_weights(const WeightSums& sums) const {
    if (!tensor_cores_) return 0;
    return (sums.values + sums.moved) * rounding_.relative + double(sums.terms) * rounding_.least * sums.largest;
  }
  // Of a sum of so many products.
  double summed(i64 terms) const { return in_a_row(tensor_cores_ ? 4 * terms : terms); }

  static constexpr double u = f32_roundoff * (1 + 0x1p-16);
  // Numbers below it may be rounded to zero.
  static constexpr double f32_least_normal = 0x1p-126;
  static double in_a_row(i64 roundings) {
    const double all = double(roundings) * u;
    return all < 0.5 ? all / (1 - all) : std::numeric_limits<double>::infinity();
  }

  bool tensor_cores_;
  double product_, underflow_;
  Rounding rounding_;
  bool rounds_again_;
};

}  // namespace ropewalk
