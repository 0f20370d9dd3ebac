// What a merge is given: parts as a decode kernel leaves them, but drawn.
#pragma once
#include "kernels/attention/attention_launch.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {

// By the problem's `input`, lse of each part has mean 0 and deviation 2 (normal), is a whole number from -2 to 2
// (integers), has deviation 64, so that exponentials without the largest subtracted overflow (large), or lies about
// -3000, so that they are all 0 (low). A part that a query sees nothing of has lse = -inf, and in out what must not
// count: 2^14, or NaN where the input is large.
LaunchTensor drawn_out_parts(const AttentionProblem& p);
LaunchTensor drawn_lse_parts(const AttentionProblem& p);
// f32 [H].
LaunchTensor sink_list(const AttentionProblem& p);

}  // namespace ropewalk::kernels
