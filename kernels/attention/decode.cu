// Attention of few queries to the keys of a cache, in one part or in several that kernels/attention/merge.cu puts
// together.
//
// Of part p, the keys [p n, (p + 1) n) of a sequence's keys, n = keys / splits rounded up:
//
//   lse[p, i] = log(sum_j exp(s[i, j])),   out[p, i] = sum_j exp(s[i, j] - lse[p, i]) v[j]     j visible from i, in p
//   s[i, j] as in kernels/attention/forward.cu; a row that sees nothing of the part: out = 0, lse = -inf
//
// q [B, Tq, H, D]; k [B, Tk, Hk, D] and v [B, Tk, Hk, Dv], or [pages, page_size, Hk, D or Dv] with a block table i32
// [B, entries]; key lengths i32 [B] (Tk without them). In one part out [B, Tq, H, Dv] of the dtype of q and lse
// [B, H, Tq], with the sink; in several f32 [splits, B, Tq, H, Dv] and [splits, B, H, Tq], without. D, Dv up to 256; an
// entry's name says the dtype of q, k, v and out, then the largest Dv.
//
// Grid (sequences x heads of k x splits x tiles of 16 rows), block (32 lanes, 4 warps). The heads of q that share a
// head of k share the rows of its tile, so that each key is loaded once for all of them.
#include "kernels/attention/decode.cuh"

#define ATTENTION_DECODE_OF(dtype, T)                                \
  ATTENTION_DECODE(attention_decode_##dtype##_64, DecodeRules, T, 1) \
  ATTENTION_DECODE(attention_decode_##dtype##_256, DecodeRules, T, 4)

ATTENTION_DECODE_OF(f32, float)
ATTENTION_DECODE_OF(f16, __half)
ATTENTION_DECODE_OF(bf16, __nv_bfloat16)
