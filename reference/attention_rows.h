// The rows of attention that share a head of k and v, and what they see: what its forward and its backward have alike.
#pragma once
#include "lib/problem/attention.h"
#include "reference/attention.h"
#include "reference/attention_bound.h"
#include "reference/fast/kernels.h"
#include "reference/fast/panels.h"

namespace ropewalk::reference {

// Euclidean.
double length_of(const double* numbers, i64 count);

// Turns from one head of k and v of one sequence to the next. Its rows are the queries of all heads of q that share it.
class AttentionRows {
 public:
  AttentionRows(const AttentionProblem& problem, const AttentionInputs& inputs);
  void turn_to(i64 sequence, i64 key_head);

  struct RowIndex {
    i64 head, query;
    i64 row;  // of q, token x head
    i64 lse;  // in [B, H, Tq] or [H, rows]
  };
  i64 count() const { return queries_ * group_; }
  RowIndex index_of_row(i64 n) const;
  const double* q_of(const RowIndex& row_index) const { return inputs_.q + row_index.row * problem_.head_dim; }
  // Of the row over all keys that it may count; q is its own.
  ScoreRow scores_of(const RowIndex& row_index) const;
  const ScoreRules& rules() const { return rules_; }

  i64 keys() const { return keys_; }
  // The row of k and v, token x head, of a key.
  i64 key_row(i64 key) const { return first_key_row_ + key * key_heads_; }
  Matrix key_matrix() const;
  Matrix value_matrix() const;
  // By key, and 0 for those that are padded: Euclidean lengths of keys and values, and the largest |v|.
  const double* key_lengths() const { return key_lengths_.get(); }
  const double* value_lengths() const { return value_lengths_.get(); }
  const double* value_sizes() const { return value_sizes_.get(); }

 private:
  AttentionProblem::Range visible_from(i64 own_key) const;

  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  const ScoreRules rules_;
  const i64 key_heads_ = problem_.heads_of_keys(), group_ = problem_.heads / key_heads_;
  const double product_error_;  // of a score, relative to |scale| |q| |k|
  i64 sequence_ = 0, key_head_ = 0, queries_ = 0, keys_ = 0, first_query_ = 0, first_key_row_ = 0;
  Room<double> key_lengths_, value_lengths_, value_sizes_;
};

// The panels that any of the rows counts a key in; begin >= end: none. Gives all rows that range.
void share_range(ScoreRow* rows, i64 count);

// Enough work to be worth the threads, in multiplications of one of the products of attention.
bool is_worth_threads(const AttentionProblem& problem);

}  // namespace ropewalk::reference
