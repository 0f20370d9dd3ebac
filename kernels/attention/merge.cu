// The parts of attention over several parts of the keys, put together by their lse.
//
//   lse = log(sum_p exp(lse[p]) + exp(sink)),   out = sum_p exp(lse[p] - lse) out[p]
//   where every lse[p] is -inf and there is no sink: out = 0, lse = -inf
//
// out_partial f32 [splits, B, Tq, H, Dv], lse_partial f32 [splits, B, H, Tq], sinks f32 [H]; out [B, Tq, H, Dv], lse
// f32 [B, H, Tq]. A part whose lse is -inf counts nothing, whatever its out holds, NaN as well. The sink counts here,
// once: the parts know nothing of it. Dv up to 256; an entry's name says the dtype of out, then the largest Dv.
//
// Grid (B x Tq x H rows / 4), block (32 lanes, 4 warps).
#include "kernels/attention/merge.cuh"

#define ATTENTION_MERGE_OF(dtype, T)                              \
  ATTENTION_MERGE(attention_merge_##dtype##_64, MergeRules, T, 1) \
  ATTENTION_MERGE(attention_merge_##dtype##_256, MergeRules, T, 4)

ATTENTION_MERGE_OF(f32, float)
ATTENTION_MERGE_OF(f16, __half)
ATTENTION_MERGE_OF(bf16, __nv_bfloat16)
