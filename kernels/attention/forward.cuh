// The attention forward kernel of kernels/attention/forward.cu, for one set of rules by which it reads a problem: those
// of rules.cuh, or others where a fault is seeded.
#pragma once
#include "kernels/attention/tiles.cuh"
#include "kernels/include/ropewalk_index.cuh"

__device__ __forceinline__ float largest_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

__device__ __forceinline__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

template <class Rules, class T, int chunks>
__device__ __forceinline__ void attention_forward(T* out, float* lse, const T* q, const T* k, const T* v,
                                                  const AttentionArguments& a) {
  __shared__ alignas(16) float q_tile[tile_rows][most_columns];
  __shared__ alignas(16) Tile tile;
  const AttentionBlock block = Rules::block_of(a, tile_rows);
  if (Rules::is_idle(block)) return;
  const int lane = threadIdx.x, first_row = threadIdx.y * rows;

  load_rows(q_tile, q + block.q, a.q_token, block.first_query, block.queries, a.head_dim);

  const float nothing = -INFINITY, slope = Rules::slope_of(a, block.head);
  const bool has_sink = Rules::has_sink(a);
  float largest[rows], sum[rows], sums[rows][2 * chunks] = {};
  for (int r = 0; r < rows; ++r) {
    largest[r] = has_sink ? a.sinks[block.head] : nothing;
    sum[r] = has_sink ? 1.0f : 0.0f;
  }
  const KeyRange keys = Rules::keys_of_tile(a, block, tile_rows);

  for (int start = keys.first / tile_keys * tile_keys; start < keys.last; start += tile_keys) {
    float score[rows] = {};
    add_products<Rules>(score, q_tile, tile, k + block.k, a.k_token, start, block.keys, a.head_dim);

#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int own_key = block.first_query + first_row + r + block.shift, key = start + lane;
      const bool visible = Rules::is_visible(a, own_key, key, block.keys);
      const float mine =
          visible ? Rules::score_of(a, score[r], slope, own_key, key) : Rules::masked_score(key, block.keys);
      const float next = fmaxf(largest[r], largest_of_warp(mine));
      const float from = Rules::subtrahend(next);
      const float kept = expf(largest[r] - from);
      largest[r] = next;
      score[r] = expf(mine - from);
      sum[r] = sum[r] * kept + sum_of_warp(score[r]);
#pragma unroll
      for (int n = 0; n < 2 * chunks; ++n) sums[r][n] *= kept;
    }

    add_weighted<Rules, chunks>(sums, score, tile, v + block.v, Rules::value_stride(a), start,
                                min(tile_keys, keys.last - start), Rules::value_rows(block), a.value_dim);
  }

#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int query = block.first_query + first_row + r;
    if (query >= block.queries) break;
    RW_INDEX(query, block.queries, "q.rows");
    const float share = sum[r] > 0.0f ? 1.0f / sum[r] : 0.0f;
    store_row<T, chunks>(out + block.out + query * a.out_token, sums[r], share, a.value_dim);
    if (lane == 0) lse[block.lse + query] = sum[r] > 0.0f ? Rules::lse_of(largest[r], sum[r]) : nothing;
  }
}

// An entry.
#define ATTENTION_FORWARD(name, Rules, T, chunks)                                                        \
  extern "C" __global__ void __launch_bounds__(128)                                                      \
      name(T* out, float* lse, const T* q, const T* k, const T* v, const AttentionArguments arguments) { \
    attention_forward<Rules, T, chunks>(out, lse, q, k, v, arguments);                                   \
  }
