#include <algorithm>
#include <cmath>

#include "reference/attention.h"
#include "reference/attention_scores.h"

namespace ropewalk {
namespace {

// Walks over the rows of all heads and sequences; of each, with p_j = exp(s_j - lse) and g the gradient of its output:
//
//   dv_j += p_j g
//   ds_j = p_j (g.v_j - sum_i p_i g.v_i) slope_j     slope_j: of softcap, 1 - tanh^2
//   dq += scale ds_j k_j,   dk_j += scale ds_j q
class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
           AttentionGradients gradients)
      : problem_(problem), inputs_(inputs), out_gradient_(out_gradient), to_(gradients), scores_(problem, inputs) {}

  void run() {
    const i64 batch = problem_.varlen() ? 1 : problem_.batch;
    std::fill_n(to_.q, batch * problem_.query_tokens * problem_.heads * head_dim_, 0.0);
    std::fill_n(to_.k, batch * problem_.key_tokens * key_heads_ * head_dim_, 0.0);
    std::fill_n(to_.v, batch * problem_.key_tokens * key_heads_ * value_dim_, 0.0);
    const i64 group = problem_.heads / key_heads_;
    for (i64 sequence = 0; sequence < problem_.sequences(); ++sequence) {
      for (i64 key_head = 0; key_head < key_heads_; ++key_head) {
        scores_.read_keys(sequence, key_head);
        weights_.resize(u64(scores_.keys()));
        pulls_.resize(u64(scores_.keys()));
        const i64 first_key = scores_.first_key(sequence) * key_heads_ + key_head;
        for (i64 n = 0; n < group; ++n) head_of(sequence, key_head * group + n, first_key);
      }
    }
  }

 private:
  void head_of(i64 sequence, i64 head, i64 first_key) {
    for (i64 query = 0; query < problem_.queries_of(sequence); ++query) {
      const i64 row = (scores_.first_query(sequence) + query) * problem_.heads + head;
      const double largest = scores_.read_row(query, head, inputs_.q + row * head_dim_);
      const AttentionProblem::Range seen = scores_.seen();
      if (seen.first < seen.last) row_of(head, row, first_key, largest, seen);
    }
  }

  void row_of(i64 head, i64 row, i64 first_key, double largest, AttentionProblem::Range seen) {
    const double* gradient = out_gradient_ + row * value_dim_;
    double total = inputs_.sinks ? std::exp(inputs_.sinks[head] - largest) : 0;
    for (i64 key = seen.first; key < seen.last; ++key) {
      total += weights_[u64(key)] = std::exp(scores_.score[u64(key)] - largest);
    }
    double mean = 0;  // of g.v_j by the weights
    for (i64 key = seen.first; key < seen.last; ++key) {
      weights_[u64(key)] /= total;
      pulls_[u64(key)] = 0;
      for (i64 column = 0; column < value_dim_; ++column) {
        pulls_[u64(key)] += gradient[column] * scores_.value_of(key)[column];
      }
      mean += weights_[u64(key)] * pulls_[u64(key)];
    }
    for (i64 key = seen.first; key < seen.last; ++key) {
      const i64 key_row = first_key + key * key_heads_;
      for (i64 column = 0; column < value_dim_; ++column) {
        to_.v[key_row * value_dim_ + column] += weights_[u64(key)] * gradient[column];
      }
      const double pull =
          problem_.score_scale() * weights_[u64(key)] * (pulls_[u64(key)] - mean) * scores_.slope[u64(key)];
      for (i64 column = 0; column < head_dim_; ++column) {
        to_.q[row * head_dim_ + column] += pull * inputs_.k[key_row * head_dim_ + column];
        to_.k[key_row * head_dim_ + column] += pull * inputs_.q[row * head_dim_ + column];
      }
    }
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const double* const out_gradient_;
  const AttentionGradients to_;
  const i64 head_dim_ = problem_.head_dim, value_dim_ = problem_.columns_of_values();
  const i64 key_heads_ = problem_.heads_of_keys();
  AttentionScores scores_;
  std::vector<double> weights_, pulls_;  // by key, of the row at hand; a pull is g.v_j
};

}  // namespace

void attention_backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                        AttentionGradients gradients) {
  Backward(problem, inputs, out_gradient, gradients).run();
}

}  // namespace ropewalk
