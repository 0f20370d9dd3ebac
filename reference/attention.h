// Attention in double precision, with the error that a kernel in f32 arithmetic may show. Plain loops.
//
// All arrays are gap-free and row-major, and hold the values that the kernel reads: already rounded to its dtypes.
#pragma once
#include <functional>
#include <limits>

#include "lib/problem/attention.h"
#include "reference/rotary.h"

namespace ropewalk::reference {

// How a kernel may misread a problem, where no other problem says so. The default reads it as it is meant.
struct AttentionHypothesis {
  std::function<i64(i64 query, i64 queries, i64 keys)> own_key;       // empty: the problem's
  std::function<AttentionProblem::Range(i64 own, i64 keys)> visible;  // empty: the problem's
  double masked_score = -std::numeric_limits<double>::infinity();     // of a key that is not visible
  bool softcap_slope_lost = false;                                    // in the backward: 1 is taken for it
  bool lse_lacks_largest = false;                                     // lse - largest score, for lse
};

// q [B, Tq, H, D], k [B, Tk, Hk, D], v [B, Tk, Hk, Dv], with cu_seqlens [rows, heads, columns]; slopes and sinks [H].
struct AttentionInputs {
  const double* q = nullptr;
  const double* k = nullptr;
  const double* v = nullptr;
  const double* slopes = nullptr;  // null: no ALiBi
  const double* sinks = nullptr;   // null: no sink
  AttentionHypothesis hypothesis = {};
  bool tensor_cores = false;  // what the kernel multiplies matrices with: bounds allow for it
};

// out [B, Tq, H, Dv] and lse [B, H, Tq] of a problem that no contract rejects, with cu_seqlens [rows, H, Dv] and
// [H, rows]:
//
//   s_j = softcap tanh(scale q.k_j / softcap) - slope |own key - j|     over the visible keys j
//   lse = log(sum_j exp(s_j) + exp(sink)),   out = sum_j exp(s_j - lse) v_j
//
// A query that sees nothing has out = 0 and lse = -inf, or the sink. Rows of no sequence are not expected to be
// anything.
void attention_forward(const AttentionProblem& problem, const AttentionInputs& inputs, ExpectedValues out,
                       ExpectedValues lse);

// What a backward is given of the forward, [B, H, Tq], with cu_seqlens [H, rows]: lse, and delta, the product of the
// output's row and its gradient.
struct AttentionSaved {
  const double* lse = nullptr;
  const double* delta = nullptr;
};

// Both by the forward; 0 for rows of no sequence.
void attention_saved(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                     double* lse, double* delta);

// Gradients of q, k and v, in their shapes.
struct AttentionGradients {
  ExpectedValues q, k, v;
};

// The gradients of a loss whose gradient by out is `out_gradient` [B, Tq, H, Dv], from what was saved. Rows of no
// sequence are not expected to be anything. Where a row sees keys by the hypothesis although its lse is -inf, all that
// its weights go into is no finite number: NaN, with a bound of 0.
void attention_backward(const AttentionProblem& problem, const AttentionInputs& inputs, const double* out_gradient,
                        const AttentionSaved& saved, const AttentionGradients& gradients);

}  // namespace ropewalk::reference
