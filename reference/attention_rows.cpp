#include "reference/attention_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/problem/attention.h"

namespace ropewalk::reference {
namespace {

// Of numbers that are taken 8 at a time: no sum waits for the one before.
constexpr i64 together = 8;

template <class Add>
std::array<double, together> parts_of(const double* numbers, i64 count, Add add) {
  std::array<double, together> parts = {};
  i64 n = 0;
  for (; n + together <= count; n += together) {
    for (i64 part = 0; part < together; ++part) parts[u64(part)] = add(parts[u64(part)], numbers[n + part]);
  }
  for (; n < count; ++n) parts[0] = add(parts[0], numbers[n]);
  return parts;
}

double largest_size(const double* numbers, i64 count) {
  const auto parts =
      parts_of(numbers, count, [](double largest, double number) { return std::max(largest, std::abs(number)); });
  return *std::max_element(parts.begin(), parts.end());
}

}  // namespace

double length_of(const double* numbers, i64 count) {
  const auto parts = parts_of(numbers, count, [](double sum, double number) { return sum + number * number; });
  return std::sqrt(std::accumulate(parts.begin(), parts.end(), 0.0));
}

AttentionRows::AttentionRows(const AttentionProblem& problem, const AttentionInputs& inputs)
    : problem_(problem),
      inputs_(inputs),
      rules_{problem.score_scale(), problem.softcap, AttentionBound(problem, inputs.tensor_cores).underflow(),
             inputs.hypothesis.masked_score, inputs.slopes != nullptr},
      product_error_(AttentionBound(problem, inputs.tensor_cores).of_products()) {}

void AttentionRows::turn_to(i64 sequence, i64 key_head) {
  sequence_ = sequence;
  key_head_ = key_head;
  queries_ = problem_.queries_of(sequence);
  keys_ = problem_.keys_of(sequence);
  first_query_ = problem_.first_query_of(sequence);
  first_key_row_ = problem_.first_key_of(sequence) * key_heads_ + key_head;
  const i64 room = padded<double>(keys_);
  double* const key_lengths = key_lengths_.zeros(room);
  double* const value_lengths = value_lengths_.zeros(room);
  double* const value_sizes = value_sizes_.zeros(room);
  const i64 head_dim = problem_.head_dim, value_dim = problem_.columns_of_values();
  for (i64 key = 0; key < keys_; ++key) {
    const double* const row = inputs_.k + key_row(key) * head_dim;
    const double* const value = inputs_.v + key_row(key) * value_dim;
    key_lengths[key] = length_of(row, head_dim);
    value_lengths[key] = length_of(value, value_dim);
    value_sizes[key] = largest_size(value, value_dim);
  }
}

AttentionRows::RowIndex AttentionRows::index_of_row(i64 n) const {
  const i64 head = key_head_ * group_ + n / queries_, query = n % queries_;
  return {head, query, (first_query_ + query) * problem_.heads + head,
          problem_.varlen() ? head * problem_.query_tokens + first_query_ + query
                            : (sequence_ * problem_.heads + head) * queries_ + query};
}

AttentionProblem::Range AttentionRows::visible_from(i64 own_key) const {
  const auto& visible = inputs_.hypothesis.visible;
  AttentionProblem::Range range = visible ? visible(own_key, keys_) : problem_.keys_around(own_key, keys_);
  range.first = std::max<i64>(0, range.first);
  range.last = std::clamp(range.last, range.first, std::max(keys_, range.first));
  return range;
}

ScoreRow AttentionRows::scores_of(const RowIndex& row_index) const {
  const auto& hypothesis = inputs_.hypothesis;
  const i64 own_key = hypothesis.own_key ? hypothesis.own_key(row_index.query, queries_, keys_)
                                         : problem_.own_key(row_index.query, queries_, keys_);
  const AttentionProblem::Range visible = visible_from(own_key);
  const AttentionProblem::Range counted =
      std::isfinite(hypothesis.masked_score) ? AttentionProblem::Range{0, keys_} : visible;
  return {0,
          padded<double>(keys_),
          counted.first,
          counted.last,
          visible.first,
          visible.last,
          double(own_key),
          inputs_.slopes ? inputs_.slopes[row_index.head] : 0,
          std::abs(rules_.scale) * length_of(q_of(row_index), problem_.head_dim) * product_error_,
          key_lengths()};
}

Matrix AttentionRows::key_matrix() const {
  const i64 columns = problem_.head_dim;
  return {inputs_.k + first_key_row_ * columns, keys_, columns, key_heads_ * columns, 1};
}

Matrix AttentionRows::value_matrix() const {
  const i64 columns = problem_.columns_of_values();
  return {inputs_.v + first_key_row_ * columns, keys_, columns, key_heads_ * columns, 1};
}

void share_range(ScoreRow* rows, i64 count) {
  i64 begin = std::numeric_limits<i64>::max(), end = 0;
  for (i64 n = 0; n < count; ++n) {
    if (rows[n].first_counted >= rows[n].last_counted) continue;
    begin = std::min(begin, rows[n].first_counted / panel_columns<double> * panel_columns<double>);
    end = std::max(end, padded<double>(rows[n].last_counted));
  }
  for (i64 n = 0; n < count; ++n) {
    rows[n].begin = std::min(begin, end);
    rows[n].end = end;
  }
}

bool is_worth_threads(const AttentionProblem& problem) {
  i64 pairs = 0;
  for (i64 n = 0; n < problem.sequences(); ++n) pairs += problem.queries_of(n) * problem.keys_of(n);
  return pairs * problem.heads * (problem.head_dim + problem.columns_of_values()) > i64(1) << 26;
}

}  // namespace ropewalk::reference
