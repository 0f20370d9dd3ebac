// Attention, backward: the gradients of q, k and v by that of out, from lse and delta of the forward.
//
//   p[i, j] = exp(s[i, j] - lse[i])                      s as in forward.cu, 0 where key j is not visible from query i
//   ds[i, j] = p[i, j] (dout[i].v[j] - delta[i]) (1 - tanh^2)     the last factor where there is a softcap
//   dq[i] = scale sum_j ds[i, j] k[j],   dk[j] = scale sum_i ds[i, j] q[i],   dv[j] = sum_i p[i, j] dout[i]
//
// delta[i] = dout[i].out[i]. Sums of dk and dv are over all heads of q that share the head of k. Shapes as in
// forward.cu; dq, dk and dv have those of q, k and v, dout that of out, delta f32 that of lse. Rows of no sequence are
// left alone.
//
// Grid: blocks of 16 queries of each head of each sequence, which sum over keys, then blocks of 16 keys of each head of
// k, which sum over queries: no two blocks write the same, and sums have one order. Block (32 lanes, 4 warps).
#include "kernels/attention/backward.cuh"

#define ATTENTION_BACKWARD_OF(dtype, T)                                     \
  ATTENTION_BACKWARD(attention_backward_##dtype##_64, AttentionRules, T, 1) \
  ATTENTION_BACKWARD(attention_backward_##dtype##_256, AttentionRules, T, 4)

ATTENTION_BACKWARD_OF(f32, float)
ATTENTION_BACKWARD_OF(f16, __half)
ATTENTION_BACKWARD_OF(bf16, __nv_bfloat16)
