#include "reference/attention_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/problem/attention.h"
#include "reference/attention_bound.h"

namespace ropewalk::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Weights = MergeHypothesis::Weights;

// One row at a time.
class Merge {
 public:
  Merge(const AttentionProblem& problem, const double* sinks, const MergeHypothesis& hypothesis)
      : sinks_(sinks),
        hypothesis_(hypothesis),
        columns_(problem.columns_of_values()),
        bound_(problem, false),
        lse_of_part_(u64(problem.splits)),
        part_(u64(problem.splits)) {}

  void set_part(i64 split, const double* out, double lse) {
    part_[u64(split)] = out;
    lse_of_part_[u64(split)] = lse == -infinity && hypothesis_.counts_empty ? 0 : lse;
  }

  void row(i64 head, ExpectedValues out, ExpectedValues lse) const {
    std::fill_n(out.value, columns_, 0.0);
    std::fill_n(out.bound, columns_, 0.0);
    RowSums sums = {};
    sums.largest = *std::max_element(lse_of_part_.begin(), lse_of_part_.end());
    if (sinks_) sums.largest = std::max(sums.largest, sinks_[head]);
    if (sums.largest == -infinity) {
      *lse.value = hypothesis_.none_is_nan ? NAN : -infinity;
      *lse.bound = 0;
      if (hypothesis_.none_is_nan) std::fill_n(out.value, columns_, NAN);
      return;
    }
    sums.terms = i64(part_.size()) + (sinks_ ? 1 : 0);
    for (u64 n = 0; n < part_.size(); ++n) {
      const double score = lse_of_part_[n];
      if (score == -infinity) continue;
      const double weight = weight_of(score, sums.largest);
      double largest_value = 0;
      for (i64 column = 0; column < columns_; ++column) {
        const double value = part_[n][column];
        largest_value = std::max(largest_value, std::abs(value));
        out.value[column] += weight * value;
      }
      add(sums, score, weight, largest_value);
    }
    if (sinks_) add(sums, sinks_[head], weight_of(sinks_[head], sums.largest), 0);
    const double total = hypothesis_.weights == Weights::Ones ? 1 : sums.weights;
    const ElementBound of_output = bound_.of_output(sums);
    for (i64 column = 0; column < columns_; ++column) {
      out.value[column] /= total;
      out.bound[column] = of_output.of(out.value[column]) * (sums.weights / total);
    }
    *lse.value = sums.largest + std::log(sums.weights);
    if (hypothesis_.weights == Weights::OfBaseTwo) *lse.value = sums.largest + std::log2(sums.weights);
    *lse.bound = bound_.of_lse(*lse.value, sums);
  }

 private:
  // No product goes into a part's weight.
  static void add(RowSums& sums, double score, double weight, double largest_value) {
    const double error = weight * AttentionBound::of_sink(score, sums.terms, sums.largest);
    sums.weights += weight;
    sums.errors += error;
    sums.values += weight * largest_value;
    sums.moved += error * largest_value;
    sums.largest_value = std::max(sums.largest_value, largest_value);
  }

  double weight_of(double score, double largest) const {
    switch (hypothesis_.weights) {
      case Weights::OfLse:
        return std::exp(score - largest);
      case Weights::OfBaseTwo:
        return std::exp2(score - largest);
      case Weights::Equal:
      case Weights::Ones:
        break;
    }
    return 1;
  }

  const double* sinks_;
  const MergeHypothesis& hypothesis_;
  const i64 columns_;
  const AttentionBound bound_;
  std::vector<double> lse_of_part_;
  std::vector<const double*> part_;
};

}  // namespace

void attention_parts(const AttentionProblem& problem, const AttentionInputs& inputs, const PartsHypothesis& hypothesis,
                     ExpectedValues out, ExpectedValues lse) {
  AttentionProblem part = problem;
  part.dtype = Dtype::F32;
  const i64 rows = problem.batch * problem.query_tokens * problem.heads, columns = problem.columns_of_values();
  const auto visible = inputs.hypothesis.visible;
  for (i64 split = 0; split < problem.splits; ++split) {
    AttentionInputs of_part = inputs;
    if (!hypothesis.with_sink) of_part.sinks = nullptr;
    of_part.hypothesis.visible = [&, split](i64 own, i64 keys) {
      AttentionProblem::Range seen = visible ? visible(own, keys) : problem.keys_around(own, keys);
      const auto range = hypothesis.part_of ? hypothesis.part_of(split, keys) : problem.keys_of_split(split, keys);
      seen.first = std::max(seen.first, range.first);
      seen.last = std::max(seen.first, std::min(seen.last, range.last));
      return seen;
    };
    const i64 first = split * rows;
    attention_forward(part, of_part, {out.value + first * columns, out.bound + first * columns},
                      {lse.value + first, lse.bound + first});
  }
}

void attention_merge(const AttentionProblem& problem, const double* out_parts, const double* lse_parts,
                     const double* sinks, const MergeHypothesis& hypothesis, ExpectedValues out, ExpectedValues lse) {
  Merge merge(problem, sinks, hypothesis);
  const i64 queries = problem.query_tokens, heads = problem.heads, columns = problem.columns_of_values();
  const i64 rows = problem.batch * queries * heads;
  for (i64 row = 0; row < rows; ++row) {
    const i64 head = row % heads, query = row / heads % queries, sequence = row / heads / queries;
    const i64 lse_at = (sequence * heads + head) * queries + query;
    for (i64 split = 0; split < problem.splits; ++split) {
      merge.set_part(split, out_parts + (split * rows + row) * columns, lse_parts[split * rows + lse_at]);
    }
    merge.row(head, {out.value + row * columns, out.bound + row * columns}, {lse.value + lse_at, lse.bound + lse_at});
  }
}

}  // namespace ropewalk::reference
