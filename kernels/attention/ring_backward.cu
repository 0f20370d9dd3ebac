// Ring attention, backward: the gradients of q, k and v of all ranks, from lse and delta of the whole forward.
//
// As in backward.cu, with the tokens dealt out as in ring.cu: in step n the queries of rank r meet the keys of rank
// (r - n) mod ranks. dq of a rank is summed while the keys go around; dk and dv of a rank's keys while these visit the
// ranks r, r + 1, ..., r - 1, in this order and in f32, so that the same bits come of every order of blocks. lse and
// delta are those of the whole sequence, not of one step.
//
// Of each rank: q, k, v, lse in the shapes of ring.cu; dq, dk and dv in those of q, k and v, dout in that of out, delta
// in that of lse.
//
// Grid: of each rank blocks of 16 queries of each head, then of each rank blocks of 16 keys of each head of k. Block
// (32 lanes, 4 warps).
#include "kernels/attention/ring_backward.cuh"

#define ATTENTION_RING_BACKWARD_OF(dtype, T)                                     \
  ATTENTION_RING_BACKWARD(attention_ring_backward_##dtype##_64, RingRules, T, 1) \
  ATTENTION_RING_BACKWARD(attention_ring_backward_##dtype##_256, RingRules, T, 4)

ATTENTION_RING_BACKWARD_OF(f32, float)
ATTENTION_RING_BACKWARD_OF(f16, __half)
ATTENTION_RING_BACKWARD_OF(bf16, __nv_bfloat16)
