// What attention in double precision spends its time on, compiled for each instruction set of the processor.
#pragma once
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::reference {

// Columns of a panel (panels.h).
template <class Real>
inline constexpr i64 panel_columns = 128 / i64(sizeof(Real));

// to(i, j) = sum_n left(i, n) right(n, j), added to what is there if it `adds`. `right` is in panels (panels.h), which
// `to` covers whole.
template <class Real>
struct Product {
  const Real* left;
  i64 rows, left_row, left_depth;  // strides
  const Real* right;
  i64 panels, panel_stride, depth;
  Real* to;
  i64 to_row;
  bool adds = false;
};

// How products of q and k become scores: the same for all rows.
struct ScoreRules {
  double scale, softcap;  // 0: none
  double underflow;       // of a product's error, what does not grow with it
  double masked_score;    // of keys that are counted and not visible
  bool biased;            // ALiBi
};

// A row of scores over keys [begin, end), whole panels. Keys outside of [first_counted, last_counted) have no weight.
struct ScoreRow {
  i64 begin, end;
  i64 first_counted, last_counted, first_visible, last_visible;
  double own_key, slope;      // of the bias
  double length;              // times a key's, the error of its product
  const double* key_lengths;  // by key
};

// Sums over a row's weights, which are exp(score - largest); see attention_bound.h.
struct RowSums {
  i64 terms;             // in: of the sum, with the sink
  double largest;        // in: of the sink, or -inf; out: of all scores
  double weights;        // sum of weights
  double errors;         // sum of weight x its relative error
  double values;         // sum of weight x the largest |v| of its key
  double largest_value;  // |v|, of all keys that are counted
  double moved;          // sum of weight x its relative error x that |v|
};

// A row of the backward.
struct GradientRow {
  double lse, delta;
  double pull_length, pull_least;          // the error of g.v is pull_length x a value's length + pull_least
  const double* value_lengths;             // by key
  double slope_factor, slope_least;        // of the error of softcap's slope; 0: there is no slope
  double summing_q, summing_k, summing_v;  // relative, of the sums that the terms go into
};

struct AttentionKernels {
  void (*multiply)(const Product<double>&);
  void (*multiply_floats)(const Product<float>&);
  // Turns products (by key) into weights and sums them up; `value_sizes`: the largest |v|, by key.
  void (*weigh)(const ScoreRules&, const ScoreRow&, const double* value_sizes, double* products, RowSums&);
  // Turns products into weights p, pulls g.v into ds, and gives their share in the errors of dv, dq and dk.
  void (*differentiate)(const ScoreRules&, const ScoreRow&, const GradientRow&, double* products, double* pulls,
                        float* of_v, float* of_q, float* of_k);
};

// The sets that this processor has, the best one first; and the kernels of one of them.
std::vector<std::string_view> attention_instruction_sets();
const AttentionKernels& attention_kernels(std::string_view instruction_set);
const AttentionKernels& attention_kernels();

}  // namespace ropewalk::reference
