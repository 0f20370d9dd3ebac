// Faulty on purpose: gradients. The correct counterpart is kernels/attention/backward.cu, from which each entry differs by one
// rule.
#include "kernels/attention/backward.cuh"

#define GRADIENT_FAULT(name, Rules) ATTENTION_BACKWARD(name##_f32_64, Rules, float, 1)

// The cap of scores is never handed to the backward (flash-attention 1040).
struct SoftcapMissing : AttentionRules {
  static __device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                                   int key) {
    const float score = product * a.scale;
    return a.slopes ? score - slope * fabsf(static_cast<float>(own_key - key)) : score;
  }
  static __device__ __forceinline__ float query_slope(const AttentionArguments&, float) { return 1.0f; }
  static __device__ __forceinline__ float key_slope(const AttentionArguments&, float) { return 1.0f; }
};
GRADIENT_FAULT(attention_gradient_softcap, SoftcapMissing)

// dq lacks the slope of the cap, dk has it (flash-attention 2544).
struct SoftcapMissingInQueries : AttentionRules {
  static __device__ __forceinline__ float query_slope(const AttentionArguments&, float) { return 1.0f; }
};
GRADIENT_FAULT(attention_gradient_softcap_dq, SoftcapMissingInQueries)

// dq and dk lack the scale of scores (Megatron-LM 848).
struct ScaleMissing : AttentionRules {
  static __device__ __forceinline__ float gradient_scale(const AttentionArguments&) { return 1.0f; }
};
GRADIENT_FAULT(attention_gradient_scale, ScaleMissing)

// The causal mask begins at the first key where there are more keys than queries, or fewer (flash-attention 436).
struct CausalTopLeft : AttentionRules {
  static __device__ __forceinline__ AttentionBlock backward_block(const AttentionArguments& a, int tile_rows, int tile,
                                                                  int all_heads) {
    AttentionBlock block = attention_block(a, tile_rows, tile, all_heads);
    block.shift = 0;
    return block;
  }
};
GRADIENT_FAULT(attention_gradient_top_left, CausalTopLeft)

// Of the heads that share a head of k, the last one alone is kept: each overwrites what the others left (levanter 449).
struct LastOfGroup : AttentionRules {
  static __device__ __forceinline__ int first_of_group(int group) { return group - 1; }
};
GRADIENT_FAULT(attention_gradient_group, LastOfGroup)

// The start of a gradient is a product of 32-bit integers (flash-attention 1500, 2260).
struct Int32Gradients : AttentionRules {
  static __device__ __forceinline__ long long gradient_start(const int* cu_seqlens, int sequence, int head,
                                                             long long batch, long long token, long long head_stride) {
    const int first = cu_seqlens ? cu_seqlens[sequence] * static_cast<int>(token) : sequence * static_cast<int>(batch);
    return first + head * head_stride;
  }
};
GRADIENT_FAULT(attention_gradient_int32, Int32Gradients)

// Rows of the other side are found by a product of 32-bit integers, with the stride that the gradient of out came with
// (flash-attention 2611).
struct Int32Rows : AttentionRules {
  static __device__ __forceinline__ long long row_start(int row, long long stride) {
    return row * static_cast<int>(stride);
  }
};
GRADIENT_FAULT(attention_gradient_int32_rows, Int32Rows)
