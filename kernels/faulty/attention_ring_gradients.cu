// Faulty on purpose: the gradients of a ring. The correct counterpart is kernels/attention/ring_backward.cu, from which each
// entry differs by one rule.
#include "kernels/attention/ring_backward.cuh"

#define RING_GRADIENT_FAULT(name, Rules) ATTENTION_RING_BACKWARD(name##_f32_64, Rules, float, 1)

// dk and dv are of the queries of their own rank alone: what other ranks add never comes back (diffusers 14265, where
// the backward never gets to see the other ranks' keys).
struct OwnQueries : RingRules {
  static __device__ __forceinline__ int key_steps_of(const Ring&) { return 1; }
};
RING_GRADIENT_FAULT(attention_ring_gradient_own, OwnQueries)

// dq lacks the last step (TransformerEngine 1557, Megatron-LM 1464).
struct LastStep : RingRules {
  static __device__ __forceinline__ int steps_of(const Ring& ring) { return max(1, ring.ranks - 1); }
};
RING_GRADIENT_FAULT(attention_ring_gradient_last_step, LastStep)

// The backward takes tokens in zigzag for contiguous chunks (ms-swift 10071).
struct Contiguous : RingRules {
  static __device__ __forceinline__ int place_of(const Ring& ring, int rank, int token) {
    return rank * ring.tokens + token;
  }
  static __device__ __forceinline__ int key_place(const Ring& ring, int, int source, int token) {
    return place_of(ring, source, token);
  }
};
RING_GRADIENT_FAULT(attention_ring_gradient_contiguous, Contiguous)
