// Rotary embedding of q and k together, in place, each token at a position of its own.
//
//   half:         pairs of columns (r, r + pairs), pairs = width / 2, r in [0, pairs)
//   interleaved:  pairs of columns (2 r, 2 r + 1)
//   (first, second) <- (first cos[p, r] - second sin[p, r], first sin[p, r] + second cos[p, r]),  p = positions[token]
//
// q [tokens, query_heads, D], k [tokens, key_heads, D] with strides of their own (k may be a slice of a packed qkv, or
// have one head where q has many); positions int64 [tokens]; cos, sin [cache_rows, pairs]. An entry's name says the
// dtype of q and k, then of cos and sin. Columns from width on are left alone. Backward: direction -1.
//
// Grid (token tiles, head tiles), block (lanes, tokens): threadIdx.x runs over pairs, threadIdx.y over tokens; heads
// are counted through q first, then k.
#include "kernels/rotary/qk.cuh"

ROTARY_ENTRIES(ROTARY_QK, rotary_qk, QkRules)
