#include "reference/attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "lib/base/cores.h"
#include "reference/attention_rows.h"

namespace ropewalk::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows [first, last) of a head of k and v.
struct Part {
  i64 sequence, key_head, first, last;
};

// Few enough to have many parts, enough that reading the keys again for each costs little.
constexpr i64 rows_of_part = 512;

std::vector<Part> parts_of(const AttentionProblem& problem) {
  std::vector<Part> parts;
  const i64 key_heads = problem.heads_of_keys(), group = problem.heads / key_heads;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 rows = problem.queries_of(sequence) * group;
    for (i64 key_head = 0; key_head < key_heads; ++key_head) {
      for (i64 first = 0; first < rows; first += rows_of_part) {
        parts.push_back({sequence, key_head, first, std::min(rows, first + rows_of_part)});
      }
    }
  }
  return parts;
}

// Goes over blocks of rows. A block's weights of all its keys lie side by side: scores become weights when the largest
// is known.
class Forward {
 public:
  Forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out, ExpectedValues lse)
      : problem_(problem), inputs_(inputs), out_(out), lse_(lse), rows_(problem, inputs) {}

  void run(const Part& part) {
    if (part.sequence != sequence_ || part.key_head != key_head_) turn_to(part.sequence, part.key_head);
    for (i64 first = part.first; first < part.last; first += block_rows_) {
      block(first, std::min(block_rows_, part.last - first));
    }
  }

 private:
  // Of a block's weights, so that they stay in the cache of a core with the keys and values.
  static constexpr i64 most_weights = 1 << 14;

  void turn_to(i64 sequence, i64 key_head) {
    sequence_ = sequence;
    key_head_ = key_head;
    rows_.turn_to(sequence, key_head);
    const Matrix keys = rows_.key_matrix().transposed(), values = rows_.value_matrix();
    fill_panels(keys, keys_.of(keys.rows * padded<double>(keys.columns)));
    fill_panels(values, values_.of(values.rows * padded<double>(values.columns)));
    // Rows are not a power of two apart, which would have them share the lines of a cache.
    stride_ = padded<double>(rows_.keys()) + 8;
    block_rows_ = std::min(rows_.count(), std::clamp<i64>(most_weights / stride_ / 8 * 8, 8, 64));
    weights_.of(block_rows_ * stride_);
    q_.of(block_rows_ * head_dim_);
    sums_.of(block_rows_ * padded<double>(value_dim_));
    score_rows_.resize(u64(block_rows_));
  }

  void block(i64 first, i64 count) {
    for (i64 n = 0; n < count; ++n) {
      const AttentionRows::RowIndex row_index = rows_.index_of_row(first + n);
      std::copy_n(rows_.q_of(row_index), head_dim_, q_.get() + n * head_dim_);
      score_rows_[u64(n)] = rows_.scores_of(row_index);
    }
    share_range(score_rows_.data(), count);
    const i64 begin = score_rows_[0].begin, end = score_rows_[0].end;
    if (begin < end) {
      kernels_.multiply({q_.get(), count, head_dim_, 1, keys_.get() + begin * head_dim_, panels_of<double>(end - begin),
                         head_dim_ * panel_columns<double>, head_dim_, weights_.get() + begin, stride_});
    }
    std::vector<RowSums>& sums = row_sums_;
    sums.assign(u64(count), {});
    for (i64 n = 0; n < count; ++n) weigh(rows_.index_of_row(first + n), score_rows_[u64(n)], n, sums[u64(n)]);
    const i64 depth = std::min(end, rows_.keys()) - begin, columns = padded<double>(value_dim_);
    kernels_.multiply({weights_.get() + begin, count, stride_, 1, values_.get() + begin * panel_columns<double>,
                       panels_of<double>(value_dim_), rows_.keys() * panel_columns<double>, depth, sums_.get(),
                       columns});
    for (i64 n = 0; n < count; ++n) {
      finish(rows_.index_of_row(first + n), sums_.get() + n * columns, sums[u64(n)]);
    }
  }

  i64 terms_of(const ScoreRow& row) const { return row.last_counted - row.first_counted + (inputs_.sinks ? 1 : 0); }

  void weigh(const AttentionRows::RowIndex& row_index, const ScoreRow& row, i64 n, RowSums& sums) {
    sums.terms = terms_of(row);
    sums.largest = inputs_.sinks ? inputs_.sinks[row_index.head] : -infinity;
    if (row.begin < row.end) {
      kernels_.weigh(rows_.rules(), row, rows_.value_sizes(), weights_.get() + n * stride_, sums);
    }
    if (!inputs_.sinks) return;
    const double sink = inputs_.sinks[row_index.head], weight = std::exp(sink - sums.largest);
    sums.weights += weight;
    sums.errors += weight * AttentionBound::of_sink(sink, sums.terms, sums.largest);
  }

  void finish(const AttentionRows::RowIndex& row_index, const double* sums_of_row, const RowSums& sums) {
    double* const value = out_.value + row_index.row * value_dim_;
    double* const bound = out_.bound + row_index.row * value_dim_;
    if (sums.largest == -infinity) {
      std::fill_n(value, value_dim_, 0.0);
      std::fill_n(bound, value_dim_, 0.0);
      lse_.value[row_index.lse] = -infinity;
      lse_.bound[row_index.lse] = 0;
      return;
    }
    const ElementBound of_output = bound_.of_output(sums);
    for (i64 column = 0; column < value_dim_; ++column) {
      value[column] = sums_of_row[column] / sums.weights;
      bound[column] = of_output.of(value[column]);
    }
    const double lse = (inputs_.hypothesis.lse_lacks_largest ? 0 : sums.largest) + std::log(sums.weights);
    lse_.value[row_index.lse] = lse;
    lse_.bound[row_index.lse] = bound_.of_lse(lse, sums);
  }

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const ExpectedValues out_, lse_;
  const i64 head_dim_ = problem_.head_dim, value_dim_ = problem_.columns_of_values();
  const AttentionBound bound_{problem_, inputs_.tensor_cores};
  const AttentionKernels& kernels_ = attention_kernels();
  AttentionRows rows_;
  i64 sequence_ = -1, key_head_ = -1, stride_ = 0, block_rows_ = 0;
  Room<double> keys_, values_;  // panels: keys by column, values by key
  Room<double> q_, weights_, sums_;
  std::vector<ScoreRow> score_rows_;
  std::vector<RowSums> row_sums_;
};

// Nothing is expected, until a row says otherwise.
void leave(ExpectedValues all, i64 count) {
  std::fill_n(all.value, count, 0.0);
  std::fill_n(all.bound, count, infinity);
}

}  // namespace

void attention_forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out,
                       ExpectedValues lse) {
  if (problem.varlen()) {
    leave(out, problem.query_tokens * problem.heads * problem.columns_of_values());
    leave(lse, problem.query_tokens * problem.heads);
  }
  const std::vector<Part> parts = parts_of(problem);
  std::atomic<u64> next = 0;
  on_spare_cores(is_worth_threads(problem) ? i64(parts.size()) : 1, [&] {
    Forward forward(problem, inputs, out, lse);
    for (u64 n = next++; n < parts.size(); n = next++) forward.run(parts[n]);
  });
}

}  // namespace ropewalk::reference
