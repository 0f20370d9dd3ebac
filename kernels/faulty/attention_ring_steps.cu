// Faulty on purpose: the steps of a ring. The correct counterpart is kernels/attention/ring.cu, from which each entry differs
// by one rule.
#include "kernels/attention/ring.cuh"

#define RING_FAULT(name, Rules) ATTENTION_RING(name##_f32_64, Rules, float, 1)

// The loop ends a step early: the keys that come around last are never met (sglang 33353, where keys are never passed
// on).
struct LastStep : RingRules {
  static __device__ __forceinline__ int steps_of(const Ring& ring) { return max(1, ring.ranks - 1); }
};
RING_FAULT(attention_ring_last_step, LastStep)

// The loop has a step too many: a rank's own keys are back, and merged once more.
struct StepTwice : RingRules {
  static __device__ __forceinline__ int steps_of(const Ring& ring) { return ring.ranks + (ring.ranks > 1); }
};
RING_FAULT(attention_ring_step_twice, StepTwice)

// Tokens are dealt out in zigzag, and masks take them for contiguous chunks (ms-swift 10071, long-context-attention
// 53).
struct Contiguous : RingRules {
  static __device__ __forceinline__ int place_of(const Ring& ring, int rank, int token) {
    return rank * ring.tokens + token;
  }
  static __device__ __forceinline__ int key_place(const Ring& ring, int, int source, int token) {
    return place_of(ring, source, token);
  }
};
RING_FAULT(attention_ring_contiguous, Contiguous)

// Sequences are packed and dealt out one by one, and masks take them for dealt out as one of all rows (Megatron-LM
// 5243, where of two sequences of 4 rank 0 of 2 must have the rows 0, 3, 4, 7).
struct Packed : RingRules {
  static __device__ __forceinline__ int place_of(const Ring& ring, int rank, int token) {
    Ring all = ring;
    all.tokens = ring.rows;
    return RingRules::place_of(all, rank, ring.first + token) - ring.first * ring.ranks;
  }
  static __device__ __forceinline__ int key_place(const Ring& ring, int, int source, int token) {
    return place_of(ring, source, token);
  }
};
RING_FAULT(attention_ring_packed, Packed)

// Keys that come from the rank before are taken for those of the rank behind.
struct RankOrder : RingRules {
  static __device__ __forceinline__ int key_place(const Ring& ring, int rank, int source, int token) {
    return place_of(ring, (2 * rank + ring.ranks - source) % ring.ranks, token);
  }
};
RING_FAULT(attention_ring_rank_order, RankOrder)

// Every rank takes the keys that it has for its own, and masks them so in every step.
struct OwnPlaces : RingRules {
  static __device__ __forceinline__ int key_place(const Ring& ring, int rank, int, int token) {
    return place_of(ring, rank, token);
  }
};
RING_FAULT(attention_ring_own_places, OwnPlaces)

// Ranks are counted in another group than the ring's, where each two of them are one: they take the same tokens, and
// those of the second half are nobody's (Megatron-LM 4977).
struct OtherGroup : RingRules {
  static __device__ __forceinline__ int place_of(const Ring& ring, int rank, int token) {
    return RingRules::place_of(ring, rank / 2, token);
  }
  static __device__ __forceinline__ int key_place(const Ring& ring, int, int source, int token) {
    return place_of(ring, source, token);
  }
};
RING_FAULT(attention_ring_other_group, OtherGroup)
