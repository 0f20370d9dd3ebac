#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "lib/base/cores.h"
#include "lib/problem/attention.h"
#include "reference/attention.h"
#include "reference/attention_rows.h"
#include "reference/attention_sums.h"

namespace ropewalk::reference {
namespace {

// Rows that are taken together, and keys; what belongs to a pair of these stays in the cache of a core.
constexpr i64 block_rows = 64, tile_keys = 128;

// Goes over the heads of k and v; of each over tiles of keys, and of these over blocks of rows. With p_j = exp(s_j -
// lse) and g the gradient of a row's output:
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
        gradients_(gradients),
        rows_(problem, inputs) {}

  void run(i64 sequence, i64 key_head) {
    rows_.turn_to(sequence, key_head);
    count_ = rows_.count();
    // Rows are not a power of two apart, which would have them share the lines of a cache.
    pair_stride_ = padded<double>(std::min(tile_keys, rows_.keys())) + 8;
    share_stride_ = pair_stride_ + 8;
    read_rows();
    of_q_.start(count_, head_dim_);
    for (i64 first = 0; first < rows_.keys(); first += tile_keys) {
      tile(first, std::min(tile_keys, rows_.keys() - first));
    }
    for (i64 n = 0; n < count_; ++n) {
      const ScoreRow& row = score_rows_[u64(n)];
      finish(of_q_, n, rows_.index_of_row(n).row, row.last_counted - row.first_counted, scale_, gradients_.q);
    }
    for (const Unbounded& row : unbounded_) spoil(row);
  }

 private:
  // A row whose lse is -inf, and which counts keys by this hypothesis: its weights, exp(s + inf), are infinite.
  struct Unbounded {
    i64 row, first_key, last_key;
  };

  void spoil(const Unbounded& row) const {
    const auto spoil_row = [](const ExpectedValues& of, i64 number, i64 columns) {
      std::fill_n(of.value + number * columns, columns, std::numeric_limits<double>::quiet_NaN());
      std::fill_n(of.bound + number * columns, columns, 0.0);
    };
    spoil_row(gradients_.q, row.row, head_dim_);
    for (i64 key = row.first_key; key < row.last_key; ++key) {
      spoil_row(gradients_.k, rows_.key_row(key), head_dim_);
      spoil_row(gradients_.v, rows_.key_row(key), value_dim_);
    }
  }

  void read_rows() {
    const bool has_slope = problem_.softcap > 0 && !inputs_.hypothesis.softcap_slope_lost;
    double* const q = q_.left.of(count_ * head_dim_);
    double* const g = g_.left.of(count_ * value_dim_);
    score_rows_.resize(u64(count_));
    gradient_rows_.clear();
    unbounded_.clear();
    for (i64 n = 0; n < count_; ++n) {
      const AttentionRows::RowIndex row_index = rows_.index_of_row(n);
      ScoreRow& row = score_rows_[u64(n)] = rows_.scores_of(row_index);
      if (saved_.lse[row_index.lse] == -std::numeric_limits<double>::infinity() &&
          row.first_counted < row.last_counted) {
        unbounded_.push_back({row_index.row, row.first_counted, row.last_counted});
        row.last_counted = row.first_counted;
      }
      const double* const gradient = out_gradient_ + row_index.row * value_dim_;
      std::copy_n(rows_.q_of(row_index), head_dim_, q + n * head_dim_);
      std::copy_n(gradient, value_dim_, g + n * value_dim_);
      gradient_rows_.push_back(bound_.of_row(saved_.lse[row_index.lse], saved_.delta[row_index.lse],
                                             length_of(gradient, value_dim_), row.last_counted - row.first_counted,
                                             count_, has_slope));
    }
    q_.fill(count_, head_dim_);
    g_.fill(count_, value_dim_);
  }

  void tile(i64 first, i64 keys) {
    const auto part = [&](Matrix all) {
      all.from += first * all.row_stride;
      all.rows = keys;
      return all;
    };
    const Matrix k = part(rows_.key_matrix()), v = part(rows_.value_matrix());
    fill_panels(k.transposed(), keys_by_column_.of(head_dim_ * padded<double>(keys)));
    fill_panels(v.transposed(), values_by_column_.of(value_dim_ * padded<double>(keys)));
    fill_panels(k, keys_.of(keys * padded<double>(head_dim_)));
    fill_panels_of_sizes(k, key_sizes_.of(keys * padded<float>(head_dim_)));
    of_k_.start(keys, head_dim_);
    of_v_.start(keys, value_dim_);
    for (i64 row = 0; row < count_; row += block_rows) block(row, std::min(block_rows, count_ - row), first, keys);
    for (i64 n = 0; n < keys; ++n) {
      finish(of_k_, n, rows_.key_row(first + n), count_, scale_, gradients_.k);
      finish(of_v_, n, rows_.key_row(first + n), count_, 1, gradients_.v);
    }
  }

  // The rows [first, first + count) as those of the tile see them.
  void look(i64 first, i64 count, i64 first_key, i64 keys) {
    seen_.assign(score_rows_.begin() + first, score_rows_.begin() + first + count);
    for (ScoreRow& row : seen_) {
      row.own_key -= double(first_key);
      row.first_visible -= first_key;
      row.last_visible -= first_key;
      row.first_counted = std::clamp<i64>(row.first_counted - first_key, 0, keys);
      row.last_counted = std::clamp<i64>(row.last_counted - first_key, 0, keys);
      row.key_lengths += first_key;
    }
    share_range(seen_.data(), count);
  }

  void block(i64 first, i64 count, i64 first_key, i64 keys) {
    look(first, count, first_key, keys);
    const i64 begin = seen_[0].begin, end = seen_[0].end, used = std::min(end, keys) - begin;
    if (begin >= end) return;
    const i64 pair_room = count * pair_stride_, share_room = count * share_stride_;
    double* const weights = weights_.of(pair_room);
    double* const pulls = pulls_.of(pair_room);
    kernels_.multiply(
        scores({q_.left.get() + first * head_dim_, head_dim_, keys_by_column_.get()}, count, begin, end, weights));
    kernels_.multiply(
        scores({g_.left.get() + first * value_dim_, value_dim_, values_by_column_.get()}, count, begin, end, pulls));
    float* const in_v = in_v_.of(share_room);
    float* const in_q = in_q_.of(share_room);
    float* const in_k = in_k_.of(share_room);
    for (i64 n = 0; n < count; ++n) {
      GradientRow gradient = gradient_rows_[u64(first + n)];
      gradient.value_lengths = rows_.value_lengths() + first_key;
      kernels_.differentiate(rows_.rules(), seen_[u64(n)], gradient, weights + n * pair_stride_,
                             pulls + n * pair_stride_, in_v + n * share_stride_, in_q + n * share_stride_,
                             in_k + n * share_stride_);
    }
    const auto add_to_keys = [&](Sums& sums, const double* of_pair, const float* share, const RightRows& right) {
      kernels_.multiply(sums.values(begin, used, of_pair + begin, 1, pair_stride_, right.values(first), count));
      kernels_.multiply_floats(sums.shares(begin, used, share + begin, 1, share_stride_, right.sizes(first), count));
    };
    add_to_keys(of_v_, weights, in_v, g_);
    add_to_keys(of_k_, pulls, in_k, q_);
    kernels_.multiply(of_q_.values(first, count, pulls + begin, pair_stride_, 1,
                                   {keys_.get() + begin * panel_columns<double>, keys}, used));
    kernels_.multiply_floats(of_q_.shares(first, count, in_q + begin, share_stride_, 1,
                                          {key_sizes_.get() + begin * panel_columns<float>, keys}, used));
  }

  struct Factors {
    const double* left;
    i64 columns;
    const double* right;
  };
  Product<double> scores(const Factors& of, i64 count, i64 begin, i64 end, double* to) const {
    return {of.left,
            count,
            of.columns,
            1,
            of.right + begin * of.columns,
            panels_of<double>(end - begin),
            of.columns * panel_columns<double>,
            of.columns,
            to + begin,
            pair_stride_};
  }

  void finish(const Sums& sums, i64 n, i64 row, i64 terms, double scale, ExpectedValues to) const {
    sums.finish(n, scale, bound_.of_gradient(terms), std::abs(scale) * AttentionBound::of_shares(terms),
                {to.value + row * sums.columns(), to.bound + row * sums.columns()});
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const double* const out_gradient_;
  const AttentionSaved saved_;
  const AttentionGradients gradients_;
  const i64 head_dim_ = problem_.head_dim, value_dim_ = problem_.columns_of_values();
  const double scale_ = problem_.score_scale();
  const AttentionBound bound_{problem_, inputs_.tensor_cores};
  const AttentionKernels& kernels_ = attention_kernels();
  AttentionRows rows_;
  i64 count_ = 0, pair_stride_ = 0, share_stride_ = 0;  // strides between rows of pairs, and of their shares
  RightRows q_{block_rows}, g_{block_rows};
  std::vector<ScoreRow> score_rows_, seen_;
  std::vector<GradientRow> gradient_rows_;
  std::vector<Unbounded> unbounded_;
  Room<double> keys_by_column_, values_by_column_, keys_, weights_, pulls_;
  Room<float> key_sizes_, in_v_, in_q_, in_k_;
  Sums of_q_, of_k_, of_v_;
};

// Rows of q, k and v that belong to no sequence: those past the last.
void leave_rows_behind(const AttentionProblem& problem, const AttentionGradients& gradients) {
  const auto leave = [](ExpectedValues all, i64 used, i64 count) {
    std::fill_n(all.value + used, count - used, 0.0);
    std::fill_n(all.bound + used, count - used, std::numeric_limits<double>::infinity());
  };
  const i64 q = problem.heads * problem.head_dim, k = problem.heads_of_keys() * problem.head_dim;
  const i64 v = problem.heads_of_keys() * problem.columns_of_values();
  leave(gradients.q, problem.cu_seqlens_q.back() * q, problem.query_tokens * q);
  leave(gradients.k, problem.cu_seqlens_k.back() * k, problem.key_tokens * k);
  leave(gradients.v, problem.cu_seqlens_k.back() * v, problem.key_tokens * v);
}

}  // namespace

void attention_saved(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                     double* lse, double* delta) {
  const i64 batch = problem.varlen() ? 1 : problem.batch, tokens = problem.query_tokens, heads = problem.heads;
  const i64 rows = batch * tokens * heads, columns = problem.columns_of_values();
  std::vector<double> out(u64(rows * columns)), out_bound(out.size()), lse_bound(static_cast<u64>(rows));
  attention_forward(problem, inputs, {out.data(), out_bound.data()}, {lse, lse_bound.data()});
  for (i64 row = 0; row < rows; ++row) {
    const i64 head = row % heads, token = row / heads % tokens, sequence = row / heads / tokens;
    double sum = 0;
    for (i64 n = row * columns; n < (row + 1) * columns; ++n) sum += out[u64(n)] * out_gradient[n];
    delta[(sequence * heads + head) * tokens + token] = sum;
  }
}

void attention_backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                        const AttentionSaved& saved, const AttentionGradients& gradients) {
  if (problem.varlen()) leave_rows_behind(problem, gradients);
  const i64 key_heads = problem.heads_of_keys(), all = problem.sequences() * key_heads;
  std::atomic<i64> next = 0;
  on_spare_cores(is_worth_threads(problem) ? all : 1, [&] {
    Backward backward(problem, inputs, out_gradient, saved, gradients);
    for (i64 n = next++; n < all; n = next++) backward.run(n / key_heads, n % key_heads);
  });
}

}  // namespace ropewalk::reference
