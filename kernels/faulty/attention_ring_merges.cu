// Faulty on purpose: the merges of a ring. The correct counterpart is kernels/attention/ring.cu, from which each entry differs
// by one rule.
#include "kernels/attention/ring.cuh"

#define RING_FAULT(name, Rules) ATTENTION_RING(name##_f32_64, Rules, float, 1)

// lse of both together.
__device__ __forceinline__ float merged_lse(float lse, float part_lse) {
  const float largest = fmaxf(lse, part_lse);
  return largest + logf(expf(lse - largest) + expf(part_lse - largest));
}

// What the steps before came to keeps its weight when lse grows.
struct NotRescaled : RingRules {
  template <int columns>
  static __device__ __forceinline__ void merge(float& lse, float (&out)[columns], float part_lse,
                                               const float (&part)[columns], int) {
    if (part_lse == -INFINITY) return;
    const float merged = merged_lse(lse, part_lse), share = expf(part_lse - merged);
#pragma unroll
    for (int n = 0; n < columns; ++n) out[n] += part[n] * share;
    lse = merged;
  }
};
RING_FAULT(attention_ring_not_rescaled, NotRescaled)

// Outputs of the steps are summed as they are, each the whole of its own softmax.
struct Summed : RingRules {
  template <int columns>
  static __device__ __forceinline__ void merge(float& lse, float (&out)[columns], float part_lse,
                                               const float (&part)[columns], int) {
    if (part_lse == -INFINITY) return;
#pragma unroll
    for (int n = 0; n < columns; ++n) out[n] += part[n];
    lse = merged_lse(lse, part_lse);
  }
};
RING_FAULT(attention_ring_summed, Summed)

// A rank meets its own keys last, and merges what it has seen of the others, also where that is nothing: -inf - -inf
// (flashinfer 4051).
struct MaskedStep : RingRules {
  static __device__ __forceinline__ int source_of(const Ring& ring, int rank, int step) {
    return RingRules::source_of(ring, rank, step + 1);
  }
  template <int columns>
  static __device__ __forceinline__ void merge(float& lse, float (&out)[columns], float part_lse,
                                               const float (&part)[columns], int) {
    const float merged = merged_lse(lse, part_lse), kept = expf(lse - merged), share = expf(part_lse - merged);
#pragma unroll
    for (int n = 0; n < columns; ++n) out[n] = out[n] * kept + part[n] * share;
    lse = merged;
  }
};
RING_FAULT(attention_ring_masked_step, MaskedStep)

// The steps' lse are in base 2, and are merged as if they were in base e (sglang 40903).
struct LseBase : RingRules {
  static __device__ __forceinline__ float lse_of(float largest, float sum) {
    return (largest + logf(sum)) * 1.44269504f;
  }
};
RING_FAULT(attention_ring_lse_base, LseBase)
