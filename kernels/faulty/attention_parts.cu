// Faulty on purpose: parts of the keys, and their merge. The correct counterparts are kernels/attention/decode.cu and
// merge.cu, from which each entry differs by one rule.
#include "kernels/faulty/decode_entry.cuh"

// Parts have keys / splits keys, rounded down: those past the last are in none (tilelang 2010).
struct SplitRange : DecodeRules {
  static __device__ __forceinline__ KeyRange part_of(const AttentionDecodeArguments& d, int split, int keys) {
    const int most = keys / d.splits;
    return {split * most, (split + 1) * most};
  }
};
DECODE_FAULT(attention_split_range, SplitRange)

// A part without keys is left alone, and so are its rows (flash-attention 2842).
struct SplitIdle : DecodeRules {
  static __device__ __forceinline__ bool is_idle(const DecodeBlock& block) {
    return block.part.first == block.part.last;
  }
};
DECODE_FAULT(attention_split_idle, SplitIdle)

// Each part counts the sink (rocm-libraries 12227).
struct SplitSink : DecodeRules {
  static __device__ __forceinline__ bool has_sink(const AttentionDecodeArguments& d) { return d.attention.sinks; }
};
DECODE_FAULT(attention_split_sink, SplitSink)

// All parts have the same weight (flash-sparse-attention 106).
struct MergeMean : MergeRules {
  static __device__ __forceinline__ float weight_of(float lse, float) { return lse == -INFINITY ? 0.0f : 1.0f; }
};
MERGE_FAULT(attention_merge_mean, MergeMean)

// lse of the parts is taken to be in base 2 (sglang 35045).
struct MergeBase : MergeRules {
  static __device__ __forceinline__ float weight_of(float lse, float from) { return exp2f(lse - from); }
  static __device__ __forceinline__ float lse_of(float from, float sum) {
    return sum > 0.0f ? from + log2f(sum) : -INFINITY;
  }
};
MERGE_FAULT(attention_merge_base, MergeBase)

// lse = -inf of a part without keys is made 0 for the sake of its arithmetic (flashinfer 5262).
struct MergeEmpty : MergeRules {
  static __device__ __forceinline__ float lse_of_part(float lse) { return lse == -INFINITY ? 0.0f : lse; }
};
MERGE_FAULT(attention_merge_empty, MergeEmpty)

// The largest lse is subtracted where there is none as well: -inf - -inf (flashinfer 4051).
struct MergeNan : MergeRules {
  static __device__ __forceinline__ float subtrahend(float largest) { return largest; }
  static __device__ __forceinline__ bool counts(float weight) { return !(weight == 0.0f); }
  static __device__ __forceinline__ float share_of(float sum) { return 1.0f / sum; }
  static __device__ __forceinline__ float lse_of(float from, float sum) { return from + logf(sum); }
};
MERGE_FAULT(attention_merge_nan, MergeNan)

// As many parts are merged as a warp has lanes (vllm-xpu-kernels 171).
struct MergeLanes : MergeRules {
  static __device__ __forceinline__ int parts(const AttentionMergeArguments& m) { return min(m.splits, lanes); }
};
MERGE_FAULT(attention_merge_lanes, MergeLanes)

// Keys are dealt out by their bytes, which are counted in 32 bits (flash-attention 2662).
struct Int32Bytes : DecodeRules {
  static __device__ __forceinline__ KeyRange part_of(const AttentionDecodeArguments& d, int split, int keys) {
    const long long of_key = d.attention.k_token * static_cast<long long>(sizeof(float));
    const long long bytes = static_cast<int>(keys * of_key);
    return DecodeRules::part_of(d, split, bytes < 0 ? 0 : static_cast<int>(bytes / of_key));
  }
};
DECODE_FAULT(attention_split_bytes, Int32Bytes)
