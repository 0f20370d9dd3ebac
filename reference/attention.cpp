#include "reference/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/attention_scores.h"

namespace ropewalk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Walks over the rows of all heads and sequences.
class Forward {
 public:
  Forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out, ExpectedValues lse)
      : problem_(problem), inputs_(inputs), out_(out), lse_(lse), scores_(problem, inputs) {}

  void run() {
    if (problem_.varlen()) {
      leave(out_, problem_.query_tokens * problem_.heads * value_dim_);
      leave(lse_, problem_.query_tokens * problem_.heads);
    }
    const i64 key_heads = problem_.heads_of_keys(), group = problem_.heads / key_heads;
    for (i64 sequence = 0; sequence < problem_.sequences(); ++sequence) {
      for (i64 key_head = 0; key_head < key_heads; ++key_head) {
        scores_.read_keys(sequence, key_head);
        for (i64 n = 0; n < group; ++n) head_of(sequence, key_head * group + n);
      }
    }
  }

 private:
  // Nothing is expected, until a row says otherwise.
  static void leave(ExpectedValues all, i64 count) {
    std::fill_n(all.value, count, 0.0);
    std::fill_n(all.bound, count, infinity);
  }

  void head_of(i64 sequence, i64 head) {
    const i64 queries = problem_.queries_of(sequence), first = scores_.first_query(sequence);
    for (i64 query = 0; query < queries; ++query) {
      const i64 row = (first + query) * problem_.heads + head;
      const i64 lse_at = problem_.varlen() ? head * problem_.query_tokens + first + query
                                           : (sequence * problem_.heads + head) * queries + query;
      row_of(head, scores_.read_row(query, head, inputs_.q + row * problem_.head_dim),
             {out_.value + row * value_dim_, out_.bound + row * value_dim_},
             {lse_.value + lse_at, lse_.bound + lse_at});
    }
  }

  void row_of(i64 head, double largest, ExpectedValues out, ExpectedValues lse) {
    std::fill_n(out.value, value_dim_, 0.0);
    if (largest == -infinity) {
      std::fill_n(out.bound, value_dim_, 0.0);
      *lse.value = -infinity;
      *lse.bound = 0;
      return;
    }
    const AttentionBound& bound = scores_.bound;
    const AttentionProblem::Range seen = scores_.seen();
    WeightSums sums;
    sums.terms = seen.last - seen.first + (inputs_.sinks ? 1 : 0);
    sums.largest_score = largest;
    for (i64 key = seen.first; key < seen.last; ++key) {
      const double score = scores_.score[u64(key)], weight = std::exp(score - largest);
      sums.add(weight, bound.of_weight(score, scores_.error[u64(key)], sums), scores_.largest_value(key));
      const double* value = scores_.value_of(key);
      for (i64 column = 0; column < value_dim_; ++column) out.value[column] += weight * value[column];
    }
    if (inputs_.sinks) {
      const double sink = inputs_.sinks[head];
      sums.add(std::exp(sink - largest), bound.of_weight(sink, 0, sums), 0);
    }
    for (i64 column = 0; column < value_dim_; ++column) {
      out.value[column] /= sums.weights;
      out.bound[column] = bound.of_output(out.value[column], sums);
    }
    *lse.value = (inputs_.reading.lse_lacks_largest ? 0 : largest) + std::log(sums.weights);
    *lse.bound = bound.of_lse(*lse.value, sums);
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const ExpectedValues out_, lse_;
  const i64 value_dim_ = problem_.columns_of_values();
  AttentionScores scores_;
};

}  // namespace

void attention_forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out,
                       ExpectedValues lse) {
  Forward(problem, inputs, out, lse).run();
}

}  // namespace ropewalk
