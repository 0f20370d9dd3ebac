// How the forward kernel reads a problem, piece by piece. A seeded bug is these rules with one of them wrong.
#pragma once
#include "kernels/attention/scores.cuh"
#include "kernels/attention/sequence.cuh"

constexpr int tile_keys = 32;

// Keys [first, last) of a sequence.
struct KeyRange {
  int first, last;
};

struct AttentionRules {
  static __device__ __forceinline__ AttentionBlock block_of(const AttentionArguments& a, int tile_rows) {
    return attention_block(a, tile_rows, blockIdx.x % a.query_tiles, blockIdx.x / a.query_tiles);
  }
  static __device__ __forceinline__ bool is_idle(const AttentionBlock& block) {
    return block.first_query >= block.queries;
  }
  // Keys that any query of the tile sees.
  static __device__ __forceinline__ KeyRange keys_of_tile(const AttentionArguments& a, const AttentionBlock& block,
                                                          int tile_rows) {
    const int last_query = min(block.first_query + tile_rows, block.queries) - 1;
    return {
        a.window_left < 0 ? 0 : max(0, block.first_query + block.shift - a.window_left),
        a.window_right < 0 ? block.keys : min(block.keys, last_query + block.shift + a.window_right + 1),
    };
  }
  static __device__ __forceinline__ bool is_visible(const AttentionArguments& a, int own_key, int key, int keys) {
    return ::is_visible(a, own_key, key, keys);
  }
  static __device__ __forceinline__ float score_of(const AttentionArguments& a, float product, float slope, int own_key,
                                                   int key) {
    return ::score_of(a, product, slope, own_key, key);
  }
  static __device__ __forceinline__ float slope_of(const AttentionArguments& a, int head) {
    return a.slopes ? a.slopes[head] : 0.0f;
  }
  static __device__ __forceinline__ bool has_sink(const AttentionArguments& a) { return a.sinks; }
  // Of a key that the query does not see, or that there is not.
  static __device__ __forceinline__ float masked_score(int, int) { return -INFINITY; }
  // What is subtracted from scores before their exponentials. While nothing is seen: -inf - -inf is no number.
  static __device__ __forceinline__ float subtrahend(float largest) { return largest == -INFINITY ? 0.0f : largest; }
  static __device__ __forceinline__ float lse_of(float largest, float sum) { return largest + logf(sum); }
  // Where a row of k or v starts, from the head's first one.
  static __device__ __forceinline__ long long row_start(int row, long long stride) { return row * stride; }
  static __device__ __forceinline__ long long value_stride(const AttentionArguments& a) { return a.v_token; }
  // Rows of v that are loaded; those behind are zero in the tile.
  static __device__ __forceinline__ int value_rows(const AttentionBlock& block) { return block.keys; }
  // Of the backward alone: the score's slope by scale x product, for dq and for dk, and the factor of both.
  static __device__ __forceinline__ float query_slope(const AttentionArguments& a, float product) {
    return slope_of_softcap(a, product);
  }
  static __device__ __forceinline__ float key_slope(const AttentionArguments& a, float product) {
    return slope_of_softcap(a, product);
  }
  static __device__ __forceinline__ float gradient_scale(const AttentionArguments& a) { return a.scale; }
  // The first of the heads of q that dk and dv are summed over, of `group`.
  static __device__ __forceinline__ int first_of_group(int) { return 0; }
  // The block of a head's queries and of its keys; first_query is the first row of the tile, of q or of k.
  static __device__ __forceinline__ AttentionBlock backward_block(const AttentionArguments& a, int tile_rows, int tile,
                                                                  int all_heads) {
    return attention_block(a, tile_rows, tile, all_heads);
  }
  // Where a gradient's rows of a head begin: as those of the tensor that it is the gradient of, by its own strides.
  static __device__ __forceinline__ long long gradient_start(const int* cu_seqlens, int sequence, int head,
                                                             long long batch, long long token, long long head_stride) {
    const long long first = cu_seqlens ? cu_seqlens[sequence] * token : sequence * batch;
    return first + head * head_stride;
  }
};
