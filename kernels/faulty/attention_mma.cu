// Faulty on purpose: copies to shared memory that run while it is used. The correct counterpart is
// kernels/attention/forward_mma.cu, from which each entry differs by one rule.
#include "kernels/attention/forward_mma.cuh"

// The last tile of v is waited for as if a tile of k were still under way behind it.
struct ValuesNotWaitedFor : MmaRules {
  static __device__ __forceinline__ void wait_for_values(bool) {
    wait_for_copies<1>();
    __syncthreads();
  }
};
ATTENTION_FORWARD_MMA(attention_mma_values_not_waited_for_f16_64, ValuesNotWaitedFor, __half, 64)

// The next tile of k is copied while other warps still multiply the one whose place it takes.
struct KeysTooEarly : MmaRules {
  static __device__ __forceinline__ void wait_for_scores() {}
};
ATTENTION_FORWARD_MMA(attention_mma_keys_too_early_f16_64, KeysTooEarly, __half, 64)
