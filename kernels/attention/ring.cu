// Ring attention, forward: sequences dealt out to ranks, whose keys go around while the queries stay.
//
//   step n of rank r:  part_n, lse_n = attention of the queries of r to the keys of rank (r - n) mod ranks, as
//   forward.cu merge:  lse' = log(exp(lse) + exp(lse_n)),   out' = exp(lse - lse') out + exp(lse_n - lse') part_n
//
// Merges begin with out = 0 and lse = -inf, or the sink: it counts once, whatever the number of ranks. A rank's tokens
// of a sequence are chunk r of `ranks`; with zigzag chunks r and 2 ranks - 1 - r of 2 ranks, so that a causal mask
// leaves all ranks as much to do. Masks and ALiBi go by places in the whole sequence. A tile of keys that none of the
// queries sees is not looked at.
//
// Of each rank, T tokens of its own: q [B, T, H, D], k [B, T, Hk, D], v [B, T, Hk, Dv], out [B, T, H, Dv], lse f32
// [B, H, T]; with cu_seqlens, the same for all ranks, [T, heads, columns] and [H, T]. All ranks are in one launch, and
// read each other's k and v as ranks with peer memory do: what one has in a step is what the ring would have brought.
//
// Grid (ranks x sequences x heads x query tiles), block (32 lanes, 4 warps), as in forward.cu. Merges are in f32.
#include "kernels/attention/ring.cuh"

#define ATTENTION_RING_OF(dtype, T)                            \
  ATTENTION_RING(attention_ring_##dtype##_64, RingRules, T, 1) \
  ATTENTION_RING(attention_ring_##dtype##_256, RingRules, T, 4)

ATTENTION_RING_OF(f32, float)
ATTENTION_RING_OF(f16, __half)
ATTENTION_RING_OF(bf16, __nv_bfloat16)
