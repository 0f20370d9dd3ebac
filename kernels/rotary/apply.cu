// Rotary embedding of any shape and strides: each token's rows are rotated by the angles of the token's position.
//
//   half:         pairs of columns (r, r + pairs), pairs = width / 2, r in [0, pairs)
//   interleaved:  pairs of columns (2 r, 2 r + 1)
//   out[first]  = x[first] cos[p, r] - x[second] sin[p, r]       p = offset of the sequence + token
//   out[second] = x[first] sin[p, r] + x[second] cos[p, r]
//   out[c] = x[c] for c in [width, head_dim); in place nothing is done to them
//
// x, out [B, T, H, D], or [rows, H, D] with cu_seqlens; cos, sin [cache_rows, pairs]; an entry's name says the dtype of
// x and out, then of cos and sin. In place where out is x. Backward: direction -1, x is the gradient of out.
//
// Grid (sequences x token tiles, head tiles), block (lanes, tokens): threadIdx.x runs over pairs, threadIdx.y over the
// tokens of the tile; a thread keeps its cos and sin for every gridDim.y-th head.
#include "kernels/rotary/apply.cuh"

ROTARY_ENTRIES(ROTARY_APPLY, rotary_apply, ApplyRules)
