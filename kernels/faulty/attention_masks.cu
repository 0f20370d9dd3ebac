// Faulty on purpose: which keys a query sees. The correct counterpart is kernels/attention/forward.cu, from which each entry
// differs by one rule.
#include "kernels/faulty/attention_entry.cuh"

// The causal mask begins at the first key where there are more keys than queries, or fewer (flash-attention 282, 436).
struct CausalTopLeft : AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    AttentionBlock block = AttentionRules::block_of(a, tile_rows);
    block.shift = 0;
    return block;
  }
};
ATTENTION_FAULT(attention_causal_top_left, CausalTopLeft)

// The window has one key too many to the left: a window of n keys is taken for n and the own one (vllm 3385).
struct WindowLeft : AllKeys {
  static __device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
    return key < keys && (a.window_left < 0 || key >= own_key - a.window_left - 1) &&
           (a.window_right < 0 || key <= own_key + a.window_right);
  }
};
ATTENTION_FAULT(attention_window_left, WindowLeft)

// The window has one key too few to the right, "<" where "<=" is meant (transformers 39408).
struct WindowRight : AttentionRules {
  static __device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
    return key < keys && (a.window_left < 0 || key >= own_key - a.window_left) &&
           (a.window_right < 0 || key < own_key + a.window_right);
  }
};
ATTENTION_FAULT(attention_window_right, WindowRight)

// -1, which says that a side is open, is taken for a number of keys (flash-attention 2251).
struct WindowMinusOne : AllKeys {
  static __device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
    return key < keys && key >= own_key - a.window_left && (a.window_right < 0 || key <= own_key + a.window_right);
  }
};
ATTENTION_FAULT(attention_window_minus_one, WindowMinusOne)

// 0 keys to the left are taken for no window at all (unsloth 8253).
struct WindowZero : AllKeys {
  static __device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
    return key < keys && (a.window_left <= 0 || key >= own_key - a.window_left) &&
           (a.window_right < 0 || key <= own_key + a.window_right);
  }
};
ATTENTION_FAULT(attention_window_zero, WindowZero)

// Masked keys have a score of -5e4, which a low score does not reach (flashinfer 4401).
struct MaskSentinel : AllKeys {
  static __device__ __forceinline__ float masked_score(int key, int keys) { return key < keys ? -5e4f : -INFINITY; }
};
ATTENTION_FAULT(attention_mask_sentinel, MaskSentinel)

// The largest score is subtracted where there is none as well: -inf - -inf (flashinfer 4452, cubecl 1070).
struct MaskedRows : AllKeys {
  static __device__ __forceinline__ float subtrahend(float largest) { return largest; }
};
ATTENTION_FAULT(attention_masked_rows, MaskedRows)

// Only whole tiles of keys are gone through (sycl-tla 489).
struct TailTile : AllKeys {
  static __device__ __forceinline__ KeyRange keys_of_tile(const AttentionArguments&, const AttentionBlock& block, int) {
    return {0, block.keys / tile_keys * tile_keys};
  }
};
ATTENTION_FAULT(attention_tail_tile, TailTile)
