#include "reference/merged_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernel_rounding.h"

namespace ropewalk::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The largest |v| of each column of a head of a sequence.
std::vector<double> largest_values(const AttentionProblem& problem, const double* v, i64 sequence, i64 key_head) {
  const i64 columns = problem.columns_of_values(), heads = problem.heads_of_keys();
  const i64 first = problem.first_key_of(sequence);
  std::vector<double> largest(u64(columns), 0.0);
  for (i64 key = first; key < first + problem.keys_of(sequence); ++key) {
    const double* row = v + (key * heads + key_head) * columns;
    for (i64 column = 0; column < columns; ++column) {
      largest[u64(column)] = std::max(largest[u64(column)], std::abs(row[column]));
    }
  }
  return largest;
}

// A bound of an output of the problem's dtype, which may round otherwise where it is farther off.
double widened(double value, double bound, double more, const Rounding& rounding, bool rounds_again) {
  const double all = bound + more, reach = std::abs(value) + all;
  if (!(reach < rounding.overflow)) return infinity;
  return rounds_again ? all + rounding.error(reach) - rounding.error(std::abs(value)) : all;
}

}  // namespace

MergingError merging_error(double lse, i64 parts, i64 keys) {
  const double size = std::abs(lse), most = double(parts);
  const double logarithms = std::log(most + 1) + std::log(double(keys) + 1);
  MergingError error;
  error.lse = kernel_roundoff * (most * (size + 9) + 8 * (size + logarithms)) + f32_least_normal;
  const double exponent = error.lse + kernel_roundoff * (8 * most + 4 * (size + logarithms) + 2);
  // e^x - 1 <= x (1 + x) up to 1.
  error.weight = exponent <= 1 ? exponent * (1 + exponent) : infinity;
  return error;
}

void widen_by_merging(const AttentionProblem& problem, i64 parts, const double* v, ExpectedValues out,
                      ExpectedValues lse) {
  const i64 columns = problem.columns_of_values(), heads = problem.heads;
  const i64 group = heads / problem.heads_of_keys();
  const Rounding rounding = Rounding::of(problem.dtype);
  for (i64 n = 0; n < problem.sequences() * heads; ++n) {
    const i64 sequence = n / heads, head = n % heads;
    const i64 first = problem.first_query_of(sequence);
    const i64 first_lse = problem.varlen() ? head * problem.query_tokens + first : n * problem.query_tokens;
    const std::vector<double> largest = largest_values(problem, v, sequence, head / group);
    for (i64 query = 0; query < problem.queries_of(sequence); ++query) {
      const i64 at = first_lse + query, row = ((first + query) * heads + head) * columns;
      if (!std::isfinite(lse.value[at])) continue;  // nothing is seen
      const MergingError error = merging_error(lse.value[at], parts, problem.keys_of(sequence));
      lse.bound[at] += error.lse;
      for (i64 column = 0; column < columns; ++column) {
        const double more = error.weight * largest[u64(column)] + double(parts) * f32_least_normal;
        double& bound = out.bound[row + column];
        bound = widened(out.value[row + column], bound, more, rounding, problem.dtype != Dtype::F32);
      }
    }
  }
}

}  // namespace ropewalk::reference
