// Faulty on purpose: scores. The correct counterpart is kernels/attention/forward.cu, from which each entry differs by one
// rule.
#include "kernels/faulty/attention_entry.cuh"

// Products are taken for scores: nothing scales them (Megatron-LM 848).
struct ScaleMissing : AttentionRules {
  static __device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                                   int key) {
    const float score = a.softcap > 0.0f ? a.softcap * tanhf(product / a.softcap) : product;
    return a.slopes ? score - slope * fabsf(static_cast<float>(own_key - key)) : score;
  }
};
ATTENTION_FAULT(attention_scale_missing, ScaleMissing)

// Queries are scaled when they are loaded, and their products once more (attorch 14).
struct ScaleDoubled : AttentionRules {
  static __device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                                   int key) {
    return AttentionRules::score_of(a, product * a.scale, slope, own_key, key);
  }
};
ATTENTION_FAULT(attention_scale_doubled, ScaleDoubled)

// The argument for the cap of scores is there, and never used (flash-attention 1040).
struct SoftcapMissing : AttentionRules {
  static __device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                                   int key) {
    const float score = product * a.scale;
    return a.slopes ? score - slope * fabsf(static_cast<float>(own_key - key)) : score;
  }
};
ATTENTION_FAULT(attention_softcap_missing, SoftcapMissing)

// The distance is added where it must be subtracted: keys that are far away gain (attention-gym 86).
struct SlopeSign : AttentionRules {
  static __device__ __forceinline__ float slope_of(const AttentionArguments& a, int head) {
    return a.slopes ? -a.slopes[head] : 0.0f;
  }
};
ATTENTION_FAULT(attention_slope_sign, SlopeSign)

// The slope of a head is worked out as if heads counted from 0 in its exponent (aprender 2143).
struct SlopeOfHead : AttentionRules {
  static __device__ __forceinline__ float slope_of(const AttentionArguments& a, int head) {
    return a.slopes ? exp2f(-8.0f * static_cast<float>(head) / static_cast<float>(a.heads)) : 0.0f;
  }
};
ATTENTION_FAULT(attention_slope_of_head, SlopeOfHead)

// The kernel has sinks, and its caller never switches them on (vllm-metal 550).
struct SinkMissing : AttentionRules {
  static __device__ __forceinline__ bool has_sink(const AttentionArguments&) { return false; }
};
ATTENTION_FAULT(attention_sink_missing, SinkMissing)

// lse in base 2, as it comes out of exponentials in base 2 (flashinfer 2113, sglang 40903).
struct LseBase : AttentionRules {
  static __device__ __forceinline__ float lse_of(float largest, float sum) {
    return largest * 1.44269504f + log2f(sum);
  }
};
ATTENTION_FAULT(attention_lse_base, LseBase)

// lse without the maximum that was subtracted from every score.
struct LseWithoutLargest : AttentionRules {
  static __device__ __forceinline__ float lse_of(float, float sum) { return logf(sum); }
};
ATTENTION_FAULT(attention_lse_without_largest, LseWithoutLargest)
