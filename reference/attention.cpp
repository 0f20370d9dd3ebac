#include "reference/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/attention_bound.h"

namespace ropewalk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Keys and values of one head of one sequence, keys by column so that loops over keys are the inner ones.
struct KeyHead {
  i64 keys = 0;
  std::vector<double> columns;  // [D, keys]
  std::vector<double> lengths;  // Euclidean, of each key
  std::vector<double> largest;  // |v| of each value
  const double* values = nullptr;
  i64 value_stride = 0;
};

// Walks over the rows of all heads and sequences.
class Forward {
 public:
  Forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out, ExpectedValues lse)
      : problem_(problem), inputs_(inputs), out_(out), lse_(lse), bound_(problem) {}

  void run() {
    const i64 rows = problem_.varlen() ? problem_.query_tokens : problem_.batch * problem_.query_tokens;
    if (problem_.varlen()) {
      std::fill_n(out_.bound, rows * problem_.heads * value_dim_, infinity);
      std::fill_n(lse_.bound, rows * problem_.heads, infinity);
      std::fill_n(out_.value, rows * problem_.heads * value_dim_, 0.0);
      std::fill_n(lse_.value, rows * problem_.heads, 0.0);
    }
    for (i64 sequence = 0; sequence < problem_.sequences(); ++sequence) {
      for (i64 key_head = 0; key_head < key_heads_; ++key_head) {
        read_keys(sequence, key_head);
        for (i64 n = 0; n < group_; ++n) head_of(sequence, key_head * group_ + n);
      }
    }
  }

 private:
  i64 first_query(i64 sequence) const {
    return problem_.varlen() ? problem_.cu_seqlens_q[u64(sequence)] : sequence * problem_.query_tokens;
  }
  i64 first_key(i64 sequence) const {
    return problem_.varlen() ? problem_.cu_seqlens_k[u64(sequence)] : sequence * problem_.key_tokens;
  }

  void read_keys(i64 sequence, i64 key_head) {
    const i64 keys = keys_.keys = problem_.keys_of(sequence), head_dim = problem_.head_dim;
    const i64 first = first_key(sequence) * key_heads_ + key_head;
    keys_.columns.resize(u64(head_dim * keys));
    keys_.lengths.assign(u64(keys), 0);
    keys_.largest.assign(u64(keys), 0);
    keys_.value_stride = key_heads_ * value_dim_;
    keys_.values = inputs_.v + first * value_dim_;
    for (i64 key = 0; key < keys; ++key) {
      const double* row = inputs_.k + (first + key * key_heads_) * head_dim;
      double squares = 0;
      for (i64 column = 0; column < head_dim; ++column) {
        keys_.columns[u64(column * keys + key)] = row[column];
        squares += row[column] * row[column];
      }
      keys_.lengths[u64(key)] = std::sqrt(squares);
      const double* value = keys_.values + key * keys_.value_stride;
      for (i64 column = 0; column < value_dim_; ++column) {
        keys_.largest[u64(key)] = std::max(keys_.largest[u64(key)], std::abs(value[column]));
      }
    }
    scores_.resize(u64(keys));
    errors_.resize(u64(keys));
  }

  void head_of(i64 sequence, i64 head) {
    const i64 queries = problem_.queries_of(sequence), first = first_query(sequence);
    for (i64 query = 0; query < queries; ++query) {
      const i64 row = (first + query) * problem_.heads + head;
      const i64 lse_at = problem_.varlen() ? head * problem_.query_tokens + first + query
                                           : (sequence * problem_.heads + head) * queries + query;
      row_of(problem_.visible_keys(query, queries, keys_.keys), problem_.own_key(query, queries, keys_.keys), head,
             inputs_.q + row * problem_.head_dim, {out_.value + row * value_dim_, out_.bound + row * value_dim_},
             {lse_.value + lse_at, lse_.bound + lse_at});
    }
  }

  void row_of(AttentionProblem::Range seen, i64 own_key, i64 head, const double* q, ExpectedValues out,
              ExpectedValues lse) {
    std::fill_n(out.value, value_dim_, 0.0);
    seen.last = std::max(seen.first, seen.last);
    const double largest = score(seen, own_key, head, q);
    if (largest == -infinity) {
      std::fill_n(out.bound, value_dim_, 0.0);
      *lse.value = -infinity;
      *lse.bound = 0;
      return;
    }
    WeightSums sums;
    sums.terms = seen.last - seen.first + (inputs_.sinks ? 1 : 0);
    sums.largest_score = largest;
    for (i64 key = seen.first; key < seen.last; ++key) {
      const double weight = std::exp(scores_[u64(key)] - largest);
      sums.add(weight, bound_.of_weight(scores_[u64(key)], errors_[u64(key)], sums), keys_.largest[u64(key)]);
      const double* value = keys_.values + key * keys_.value_stride;
      for (i64 column = 0; column < value_dim_; ++column) out.value[column] += weight * value[column];
    }
    if (inputs_.sinks) {
      const double sink = inputs_.sinks[head];
      sums.add(std::exp(sink - largest), bound_.of_weight(sink, 0, sums), 0);
    }
    for (i64 column = 0; column < value_dim_; ++column) {
      out.value[column] /= sums.weights;
      out.bound[column] = bound_.of_output(out.value[column], sums);
    }
    *lse.value = largest + std::log(sums.weights);
    *lse.bound = bound_.of_lse(*lse.value, sums);
  }

  // Fills in the scores of the visible keys with their errors; gives the largest, -inf where nothing is seen.
  double score(AttentionProblem::Range seen, i64 own_key, i64 head, const double* q) {
    const double scale = problem_.score_scale(), softcap = problem_.softcap;
    double squares = 0;
    std::fill(scores_.begin() + seen.first, scores_.begin() + seen.last, 0.0);
    for (i64 column = 0; column < problem_.head_dim; ++column) {
      const double* keys = keys_.columns.data() + column * keys_.keys;
      const double factor = q[column];
      squares += factor * factor;
      for (i64 key = seen.first; key < seen.last; ++key) scores_[u64(key)] += factor * keys[key];
    }
    const double length = std::sqrt(squares);
    double largest = inputs_.sinks ? inputs_.sinks[head] : -infinity;
    for (i64 key = seen.first; key < seen.last; ++key) {
      double value = scale * scores_[u64(key)];
      double error = bound_.of_product(scale * length * keys_.lengths[u64(key)]);
      if (softcap > 0) {
        value = softcap * std::tanh(value / softcap);
        error += bound_.of_softcap(value);
      }
      if (inputs_.slopes) {
        const double bias = inputs_.slopes[head] * double(std::abs(own_key - key));
        value -= bias;
        error += bound_.of_bias(bias, value);
      }
      scores_[u64(key)] = value;
      errors_[u64(key)] = error;
      largest = std::max(largest, value);
    }
    return largest;
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const ExpectedValues out_, lse_;
  const AttentionBound bound_;
  const i64 value_dim_ = problem_.columns_of_values(), key_heads_ = problem_.heads_of_keys();
  const i64 group_ = problem_.heads / problem_.heads_of_keys();
  KeyHead keys_;
  std::vector<double> scores_, errors_;  // by key, of the row at hand
};

}  // namespace

void attention_forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out,
                       ExpectedValues lse) {
  Forward(problem, inputs, out, lse).run();
}

}  // namespace ropewalk
