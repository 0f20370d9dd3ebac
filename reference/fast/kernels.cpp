#include "reference/fast/kernels.h"

#include "reference/fast/pair_scores.h"
#include "reference/fast/product.h"

namespace ropewalk::reference {
namespace RW_INSTRUCTION_SET {
namespace {

// Turns products into scores and gives the largest.
double score(const ScoreRules& rules, const ScoreRow& row, double largest, double* products) {
  Doubles all = all_of(largest), key = double(row.begin) + counted();
  for (i64 at = row.begin; at < row.end; at += lanes<double>, key += double(lanes<double>)) {
    const Doubles score = masked(rules, row, key, capped_score(rules, load(products + at)) - bias_of(rules, row, key));
    all = larger_of(score, all);
    store(products + at, score);
  }
  return largest_of(all);
}

void weigh(const ScoreRules& rules, const ScoreRow& row, const double* value_sizes, double* products, RowSums& sums) {
  const double largest = sums.largest = score(rules, row, sums.largest, products);
  Doubles weights{}, errors{}, values{}, moved{}, largest_value{}, key = double(row.begin) + counted();
  const double least = kernel_roundoff * (2 * size_of(all_of(largest))[0] + 6 * double(sums.terms + 1));
  for (i64 at = row.begin; at < row.end; at += lanes<double>, key += double(lanes<double>)) {
    const Doubles given = load(products + at);
    const Doubles score = given != -infinity ? given : all_of(largest), below = largest - score;
    const Doubles exponent = score_error(rules, row, at, key, score, bias_of(rules, row, key)) +
                             kernel_roundoff * (2.0 * size_of(score) + below) + least;
    const Doubles weight = counted_only(given, exp_of(-below)), size = load(value_sizes + at);
    const Doubles error = counted_only(given, weight * relative_of_exponent(exponent));
    store(products + at, weight);
    weights += weight;
    errors += error;
    values += weight * size;
    moved += error * size;
    largest_value = larger_of(counted_only(given, size), largest_value);
  }
  sums.weights = sum_of(weights);
  sums.errors = sum_of(errors);
  sums.values = sum_of(values);
  sums.moved = sum_of(moved);
  sums.largest_value = largest_of(largest_value);
}

// Rounded up, so that it is no number that f32 has not; 0 where the key is not counted.
RW_LANE void store_share(float* to, Doubles given, Doubles share) {
  const Doubles least = counted_only(given, all_of(2 * f32_least_normal));
  const Floats all = __builtin_convertvector(counted_only(given, share) * (1 + 0x1p-22) + least, Floats);
  __builtin_memcpy(to, &all, sizeof(all));
}

void differentiate(const ScoreRules& rules, const ScoreRow& row, const GradientRow& gradient, double* products,
                   double* pulls, float* of_v, float* of_q, float* of_k) {
  constexpr double u = kernel_roundoff;
  const bool has_slope = gradient.slope_least > 0;
  const double least = u * (2 * size_of(all_of(gradient.lse))[0] + 12);
  Doubles key = double(row.begin) + counted();
  for (i64 at = row.begin; at < row.end; at += lanes<double>, key += double(lanes<double>)) {
    const Doubles capped = capped_score(rules, load(products + at)), bias = bias_of(rules, row, key);
    const Doubles given = masked(rules, row, key, capped - bias);
    const Doubles score = given != -infinity ? given : all_of(gradient.lse), above = score - gradient.lse;
    const Doubles off = score_error(rules, row, at, key, score, bias);
    const Doubles relative = relative_of_exponent(off + u * (2.0 * size_of(score) + size_of(above)) + least);
    const Doubles weight = counted_only(given, exp_of(above)),
                  largest_weight = weight * (1.0 + relative) + f32_least_normal;

    Doubles slope = all_of(1), largest_slope = slope;
    if (has_slope) {
      const Doubles tangent = capped / rules.softcap;
      slope = within(key, row.first_visible, row.last_visible, 1.0 - tangent * tangent, Doubles{});
      largest_slope = slope + off * gradient.slope_factor + gradient.slope_least;
    }
    const Doubles pull = load(pulls + at) - gradient.delta;
    const Doubles pull_off = gradient.pull_length * load(gradient.value_lengths + at) + gradient.pull_least;
    const Doubles largest_pull = size_of(pull) * (1 + u) + pull_off * (1 + u);
    const Doubles all = counted_only(given, weight * pull * slope);
    const Doubles largest = largest_weight * largest_pull * largest_slope * (1 + 4 * u);
    const Doubles largest_of_v = largest_weight * (1 + 4 * u);

    store(products + at, weight);
    store(pulls + at, all);
    store_share(of_v + at, given, largest_of_v - weight + largest_of_v * gradient.summing_v);
    store_share(of_q + at, given, largest - size_of(all) + largest * gradient.summing_q);
    store_share(of_k + at, given, largest - size_of(all) + largest * gradient.summing_k);
  }
}

}  // namespace

extern const AttentionKernels kernels;
const AttentionKernels kernels{multiply<double>, multiply<float>, weigh, differentiate};

}  // namespace RW_INSTRUCTION_SET
}  // namespace ropewalk::reference
