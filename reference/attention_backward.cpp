#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/attention.h"
#include "reference/attention_scores.h"

namespace ropewalk {
namespace {

// The place of a query's lse in [B, H, Tq] or [H, rows]; `row` is its row of q.
i64 place_of_lse(const AttentionProblem& problem, i64 row) {
  const i64 head = row % problem.heads, token = row / problem.heads;
  if (problem.varlen()) return head * problem.query_tokens + token;
  const i64 sequence = token / problem.query_tokens;
  return (sequence * problem.heads + head) * problem.query_tokens + token % problem.query_tokens;
}

// A gradient while it is summed: its value, the errors of its terms (in `to.bound`), their sizes and their number.
struct Sums {
  ExpectedValues to;
  std::vector<double> sizes;

  Sums(ExpectedValues into, i64 count) : to(into), sizes(u64(count)) {
    std::fill_n(to.value, count, 0.0);
    std::fill_n(to.bound, count, 0.0);
  }

  // Adds factor x row, where the factor may be off by `error`.
  void add(i64 at, double factor, double error, const double* row, i64 columns) {
    double* const value = to.value + at;
    double* const moved = to.bound + at;
    double* const size = sizes.data() + at;
    const double largest = std::abs(factor) + error;
    for (i64 column = 0; column < columns; ++column) {
      const double of_row = std::abs(row[column]);
      value[column] += factor * row[column];
      moved[column] += error * of_row;
      size[column] += largest * of_row;
    }
  }

  void finish(i64 at, i64 columns, double scale, i64 terms, const AttentionBound& bound) {
    for (i64 n = at; n < at + columns; ++n) {
      to.value[n] *= scale;
      to.bound[n] = bound.of_gradient(to.value[n], scale * to.bound[n], scale * sizes[u64(n)], terms);
    }
  }

  void leave(i64 at, i64 columns) { std::fill_n(to.bound + at, columns, std::numeric_limits<double>::infinity()); }
};

// Walks over the rows of all heads and sequences; of each, with p_j = exp(s_j - lse) and g the gradient of its output:
//
//   dv_j += p_j g
//   ds_j = p_j (g.v_j - delta) slope_j     slope_j: of softcap, 1 - tanh^2
//   dq += scale ds_j k_j,   dk_j += scale ds_j q
class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
           const AttentionSaved& saved, const AttentionGradients& gradients)
      : problem_(problem),
        inputs_(inputs),
        out_gradient_(out_gradient),
        saved_(saved),
        scores_(problem, inputs),
        q_(gradients.q, query_rows_ * head_dim_),
        k_(gradients.k, key_rows_ * head_dim_),
        v_(gradients.v, key_rows_ * value_dim_) {}

  void run() {
    const i64 group = problem_.heads / key_heads_;
    for (i64 sequence = 0; sequence < problem_.sequences(); ++sequence) {
      for (i64 key_head = 0; key_head < key_heads_; ++key_head) {
        scores_.read_keys(sequence, key_head);
        const i64 first_key = scores_.first_key(sequence) * key_heads_ + key_head;
        for (i64 n = 0; n < group; ++n) head_of(sequence, key_head * group + n, first_key);
        const i64 terms = problem_.queries_of(sequence) * group;
        for (i64 key = 0; key < scores_.keys(); ++key) {
          const i64 row = first_key + key * key_heads_;
          k_.finish(row * head_dim_, head_dim_, problem_.score_scale(), terms, scores_.bound);
          v_.finish(row * value_dim_, value_dim_, 1, terms, scores_.bound);
        }
      }
    }
    if (problem_.varlen()) leave_rows_behind();
  }

 private:
  void leave_rows_behind() {
    const i64 queries = problem_.cu_seqlens_q.back() * problem_.heads, keys = problem_.cu_seqlens_k.back() * key_heads_;
    q_.leave(queries * head_dim_, (query_rows_ - queries) * head_dim_);
    k_.leave(keys * head_dim_, (key_rows_ - keys) * head_dim_);
    v_.leave(keys * value_dim_, (key_rows_ - keys) * value_dim_);
  }

  void head_of(i64 sequence, i64 head, i64 first_key) {
    for (i64 query = 0; query < problem_.queries_of(sequence); ++query) {
      const i64 row = (scores_.first_query(sequence) + query) * problem_.heads + head;
      scores_.read_row(query, head, inputs_.q + row * head_dim_);
      const i64 place = place_of_lse(problem_, row);
      for (i64 key = scores_.seen().first; key < scores_.seen().last; ++key) {
        pair_of(row, first_key + key * key_heads_, key, saved_.lse[place], saved_.delta[place]);
      }
      q_.finish(row * head_dim_, head_dim_, problem_.score_scale(), scores_.seen().last - scores_.seen().first,
                scores_.bound);
    }
  }

  void pair_of(i64 row, i64 key_row, i64 key, double lse, double delta) {
    const AttentionBound& bound = scores_.bound;
    const double score = scores_.score[u64(key)], error = scores_.error[u64(key)];
    const double weight = std::exp(score - lse), off = bound.of_given_weight(score, error, lse);
    const double* const gradient = out_gradient_ + row * value_dim_;
    const double* const value = scores_.value_of(key);
    double product = 0, size = 0;
    for (i64 column = 0; column < value_dim_; ++column) {
      product += gradient[column] * value[column];
      size += std::abs(gradient[column] * value[column]);
    }
    v_.add(key_row * value_dim_, weight, bound.largest_product(weight, off, 1, 1) - weight, gradient, value_dim_);

    const bool capped = problem_.softcap > 0 && !inputs_.reading.softcap_slope_lost;
    const double slope = capped ? scores_.slope[u64(key)] : 1;
    const double slope_off = capped ? bound.of_softcap_slope(error, problem_.softcap) : 0;
    const double pull = product - delta;
    const double pull_off = bound.of_pull(size, value_dim_) * (1 + AttentionBound::roundoff()) +
                            AttentionBound::roundoff() * std::abs(pull);
    const double all = weight * pull * slope;
    const double largest = bound.largest_product(weight, off, std::abs(pull) + pull_off, slope + slope_off);
    q_.add(row * head_dim_, all, largest - std::abs(all), inputs_.k + key_row * head_dim_, head_dim_);
    k_.add(key_row * head_dim_, all, largest - std::abs(all), inputs_.q + row * head_dim_, head_dim_);
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const double* const out_gradient_;
  const AttentionSaved saved_;
  const i64 head_dim_ = problem_.head_dim, value_dim_ = problem_.columns_of_values();
  const i64 key_heads_ = problem_.heads_of_keys(), batch_ = problem_.varlen() ? 1 : problem_.batch;
  const i64 query_rows_ = batch_ * problem_.query_tokens * problem_.heads;
  const i64 key_rows_ = batch_ * problem_.key_tokens * key_heads_;
  AttentionScores scores_;
  Sums q_, k_, v_;
};

}  // namespace

void attention_saved(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                     double* lse, double* delta) {
  const i64 rows = (problem.varlen() ? 1 : problem.batch) * problem.query_tokens * problem.heads;
  const i64 columns = problem.columns_of_values();
  std::vector<double> out(u64(rows * columns)), out_bound(out.size()), lse_bound(static_cast<u64>(rows));
  attention_forward(problem, inputs, {out.data(), out_bound.data()}, {lse, lse_bound.data()});
  for (i64 row = 0; row < rows; ++row) {
    double sum = 0;
    for (i64 n = row * columns; n < (row + 1) * columns; ++n) sum += out[u64(n)] * out_gradient[n];
    delta[place_of_lse(problem, row)] = sum;
  }
}

void attention_backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                        const AttentionSaved& saved, const AttentionGradients& gradients) {
  Backward(problem, inputs, out_gradient, saved, gradients).run();
}

}  // namespace ropewalk
