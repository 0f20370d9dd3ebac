// The rotary embedding in double precision, with the error that a kernel in f32 arithmetic may show. Plain loops.
//
// All arrays are gap-free and row-major, and hold the values that the kernel reads: already rounded to its dtypes.
#pragma once
#include "lib/problem/rotary.h"

namespace ropewalk::reference {

// cos and sin [rows, pairs] of the problem.
struct RotaryTable {
  const double* cosine = nullptr;
  const double* sine = nullptr;
};

// What is expected of an output, by element: |got - value| <= bound. An infinite bound: nothing is expected.
struct ExpectedValues {
  double* value = nullptr;
  double* bound = nullptr;
};

// Where a problem rounds in steps, the bits are known: its bounds are 0.
//
// out of a problem that no contract rejects. x and out are [B, T, H, D], or [T, H, D] with cu_seqlens. Rows that belong
// to no sequence stay as they are in place and are not expected to be anything otherwise.
void rotary_apply(const RotaryProblem& problem, const double* x, RotaryTable table, ExpectedValues out);

// One of q and k of the fused form: x [tokens, heads, D] in place, token t at position positions[t].
void rotary_at_positions(const RotaryProblem& problem, i64 heads, const double* x, const i64* positions,
                         RotaryTable table, ExpectedValues out);

// The cos and sin cache [rows, width / 2] that a kernel builds from theta in f32 (frequencies null), or from inverse
// frequencies that it is given. The bound grows with the position.
void rotary_cache(const RotaryProblem& problem, const double* frequencies, ExpectedValues cosine, ExpectedValues sine);

}  // namespace ropewalk::reference
