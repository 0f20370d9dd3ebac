// The scores of attention, row by row: what its forward and its backward share.
#pragma once
#include <vector>

#include "reference/attention.h"
#include "reference/attention_bound.h"

namespace ropewalk {

// Scores of the queries of one head of k and v of one sequence at a time.
class AttentionScores {
 public:
  AttentionScores(const AttentionProblem& problem, const AttentionInputs& inputs);

  // Turns to the keys of that head; all rows below are of them.
  void read_keys(i64 sequence, i64 key_head);
  // Fills in `score`, `error` and `slope` of the keys that the query sees; q is its row. Gives the largest score, the
  // sink's among them, -inf where nothing is seen.
  double read_row(i64 query, i64 head, const double* q);

  i64 keys() const { return keys_; }
  AttentionProblem::Range seen() const { return seen_; }
  // Rows of q and of k before the first of a sequence.
  i64 first_query(i64 sequence) const;
  i64 first_key(i64 sequence) const;
  const double* value_of(i64 key) const { return values_ + key * value_stride_; }
  double largest_value(i64 key) const { return largest_[u64(key)]; }

  // By key, of the row at hand.
  std::vector<double> score;
  std::vector<double> error;  // of the score, in f32 arithmetic
  std::vector<double> slope;  // of the score over scale x product: 1 without softcap

  const AttentionBound bound;

 private:
  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  i64 sequence_ = 0, keys_ = 0;
  AttentionProblem::Range seen_;
  std::vector<double> columns_;  // [D, keys], so that loops over keys are the inner ones
  std::vector<double> lengths_;  // Euclidean, of each key
  std::vector<double> largest_;  // |v| of each value
  const double* values_ = nullptr;
  i64 value_stride_ = 0;
};

}  // namespace ropewalk
