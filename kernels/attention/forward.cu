// Attention, forward, with an online softmax over tiles of keys.
//
//   s[i, j] = softcap tanh(scale q[i].k[j] / softcap) - slope |i + shift - j|     j visible from i
//   lse[i] = log(sum_j exp(s[i, j]) + exp(sink)),   out[i] = sum_j exp(s[i, j] - lse[i]) v[j]
//   a row that sees nothing: out = 0, lse = -inf
//
// q [B, Tq, H, D], k [B, Tk, Hk, D], v [B, Tk, Hk, Dv], out [B, Tq, H, Dv], lse f32 [B, H, Tq]; with cu_seqlens
// [rows, heads, columns] and lse [H, rows]. Head h of q has the keys of head h / (H / Hk). D, Dv up to 256; an entry's
// name says the dtype of q, k, v and out, then the largest Dv.
//
// Grid (sequences x heads x query tiles), block (32 lanes, 4 warps): a warp has 4 queries; its lanes are 32 keys while
// scores are summed, then columns of v. Keys and values go through shared memory 64 columns at a time.
#include "kernels/attention/forward.cuh"

#define ATTENTION_FORWARD_OF(dtype, T)                                    \
  ATTENTION_FORWARD(attention_forward_##dtype##_64, AttentionRules, T, 1) \
  ATTENTION_FORWARD(attention_forward_##dtype##_256, AttentionRules, T, 4)

ATTENTION_FORWARD_OF(f32, float)
ATTENTION_FORWARD_OF(f16, __half)
ATTENTION_FORWARD_OF(bf16, __nv_bfloat16)
