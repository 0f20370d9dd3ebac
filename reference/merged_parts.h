// What a forward may be off where keys come in parts, each with an out and an lse of its own, that are merged by lse
// one after the other:
//
//   lse' = log(exp(lse) + exp(lse_n)),   out' = exp(lse - lse') out + exp(lse_n - lse') out_n
//
// On top of what the whole row may be off (reference/attention_bound.h), with R parts, N keys and W_n = exp(lse_n -
// lse) the weight of part n in the end. The weights add up to 1, so that sums of W_n (lse - lse_n) are an entropy, at
// most log(R + 1), the sink being one part more, and sums of W_n (largest score - that of the part) at most L = log(R +
// 1) + log(N + 1). In units of u = 2^-24:
//
//   lse of a part     its own logarithm, sum and rounding instead of the row's: 8 (|lse| + L), weighted
//   lse of a merge    two differences, exponentials of 2 units, a sum below 2, its logarithm (1 unit), and the rounding
//                     of the result, which errors from before reach with a weight below 1: |lse| + 9 for each of R
//   out of a part     factors exp(lse - lse') telescope to exp(lse_n - lse): differences add up to lse - lse_n; the
//                     exponential, the product and the sum are 6 for each of R merges, the division 2
//   out               at most the largest |v| of the column times all this and what lse is off
#pragma once
#include "lib/problem/attention.h"
#include "reference/rotary.h"

namespace ropewalk::reference {

// The absolute error that merging adds to an lse, and the relative one that it adds to the weight of any part of out.
struct MergingError {
  double lse = 0, weight = 0;
};
MergingError merging_error(double lse, i64 parts, i64 keys);

// Widens the bounds of out and lse as attention_forward leaves them, for at most so many parts; tensors are in the
// shapes that it has them in.
void widen_by_merging(const AttentionProblem& problem, i64 parts, const double* v, ExpectedValues out,
                      ExpectedValues lse);

}  // namespace ropewalk::reference
