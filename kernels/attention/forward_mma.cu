// Attention, forward, with an online softmax over tiles of keys, on tensor cores: what forward.cu computes, for f16 and
// bf16, by mma.sync, ldmatrix and cp.async.
//
// Products are exact and summed in f32; weights are rounded to the dtype before they are multiplied with v. Shapes and
// features as in forward.cu; an entry's name says the dtype, then the largest D and Dv.
//
// Grid (sequences x heads x tiles of 64 queries), block (32 lanes, 4 warps): a warp has 16 queries, keys come by 32.
// Rows whose addresses and strides are multiples of 16 bytes are copied asynchronously, others element by element.
#include "kernels/attention/forward_mma.cuh"

#define ATTENTION_FORWARD_MMA_OF(dtype, T)                                   \
  ATTENTION_FORWARD_MMA(attention_forward_mma_##dtype##_64, MmaRules, T, 64) \
  ATTENTION_FORWARD_MMA(attention_forward_mma_##dtype##_256, MmaRules, T, 256)

ATTENTION_FORWARD_MMA_OF(f16, __half)
ATTENTION_FORWARD_MMA_OF(bf16, __nv_bfloat16)
