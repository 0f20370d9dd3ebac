#include "reference/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropewalk {

AttentionScores::AttentionScores(const AttentionProblem& problem, const AttentionInputs& inputs)
    : bound(problem, inputs.tensor_cores), problem_(problem), inputs_(inputs) {}

i64 AttentionScores::first_query(i64 sequence) const {
  return problem_.varlen() ? problem_.cu_seqlens_q[u64(sequence)] : sequence * problem_.query_tokens;
}

i64 AttentionScores::first_key(i64 sequence) const {
  return problem_.varlen() ? problem_.cu_seqlens_k[u64(sequence)] : sequence * problem_.key_tokens;
}

void AttentionScores::read_keys(i64 sequence, i64 key_head) {
  const i64 head_dim = problem_.head_dim, value_dim = problem_.columns_of_values();
  const i64 heads = problem_.heads_of_keys(), first = first_key(sequence) * heads + key_head;
  sequence_ = sequence;
  keys_ = problem_.keys_of(sequence);
  columns_.resize(u64(head_dim * keys_));
  lengths_.assign(u64(keys_), 0);
  largest_.assign(u64(keys_), 0);
  value_stride_ = heads * value_dim;
  values_ = inputs_.v + first * value_dim;
  for (i64 key = 0; key < keys_; ++key) {
    const double* row = inputs_.k + (first + key * heads) * head_dim;
    double squares = 0;
    for (i64 column = 0; column < head_dim; ++column) {
      columns_[u64(column * keys_ + key)] = row[column];
      squares += row[column] * row[column];
    }
    lengths_[u64(key)] = std::sqrt(squares);
    for (i64 column = 0; column < value_dim; ++column) {
      largest_[u64(key)] = std::max(largest_[u64(key)], std::abs(value_of(key)[column]));
    }
  }
  for (auto* by_key : {&score, &error, &slope}) by_key->resize(u64(keys_));
}

double AttentionScores::read_row(i64 query, i64 head, const double* q) {
  const AttentionReading& reading = inputs_.reading;
  const i64 queries = problem_.queries_of(sequence_);
  const i64 own_key =
      reading.own_key ? reading.own_key(query, queries, keys_) : problem_.own_key(query, queries, keys_);
  const AttentionProblem::Range visible =
      reading.visible ? reading.visible(own_key, keys_) : problem_.keys_around(own_key, keys_);
  const bool masked_count = std::isfinite(reading.masked_score);
  seen_ = masked_count ? AttentionProblem::Range{0, keys_} : visible;
  seen_.last = std::max(seen_.first, seen_.last);
  double largest = inputs_.sinks ? inputs_.sinks[head] : -std::numeric_limits<double>::infinity();
  if (seen_.first == seen_.last) return largest;

  const double scale = problem_.score_scale(), softcap = problem_.softcap;
  double squares = 0;
  std::fill(score.begin() + seen_.first, score.begin() + seen_.last, 0.0);
  for (i64 column = 0; column < problem_.head_dim; ++column) {
    const double* keys = columns_.data() + column * keys_;
    const double factor = q[column];
    squares += factor * factor;
    for (i64 key = seen_.first; key < seen_.last; ++key) score[u64(key)] += factor * keys[key];
  }
  const double length = std::sqrt(squares);
  for (i64 key = seen_.first; key < seen_.last; ++key) {
    double value = scale * score[u64(key)];
    double off = bound.of_product(scale * length * lengths_[u64(key)]);
    slope[u64(key)] = 1;
    if (softcap > 0) {
      const double capped = std::tanh(value / softcap);
      slope[u64(key)] = 1 - capped * capped;
      value = softcap * capped;
      off += bound.of_softcap(value);
    }
    if (inputs_.slopes) {
      const double bias = inputs_.slopes[head] * double(std::abs(own_key - key));
      value -= bias;
      off += bound.of_bias(bias, value);
    }
    if (masked_count && (key < visible.first || key >= visible.last)) {
      value = reading.masked_score;
      off = slope[u64(key)] = 0;
    }
    score[u64(key)] = value;
    error[u64(key)] = off;
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace ropewalk
