// The attention backward kernel of kernels/attention/backward.cu, for one set of rules by which it reads a problem:
// those of rules.cuh, or others where a fault is seeded.
#pragma once
#include "kernels/attention/tiles.cuh"
#include "kernels/include/ropewalk_index.cuh"

// A query's weight of a key, exp(score - lse); 0 where it does not see the key.
template <class Rules>
__device__ __forceinline__ float weight_of(const AttentionArguments& a, const AttentionBlock& block, float product,
                                           float slope, float lse, int query, int key) {
  const int own_key = query + block.shift;
  const bool visible = query < block.queries && Rules::is_visible(a, own_key, key, block.keys);
  return visible ? expf(Rules::score_of(a, product, slope, own_key, key) - lse) : 0.0f;
}

// A block of 16 queries goes over the keys: dq.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void queries_backward(T* dq, const T* q, const T* k, const T* v, const T* dout,
                                                 const float* lse, const float* delta,
                                                 const AttentionBackwardArguments& b,
                                                 float (&q_rows)[tile_rows][most_columns],
                                                 float (&dout_rows)[tile_rows][most_columns], Tile& tile) {
  const AttentionArguments& a = b.forward;
  const int all_heads = blockIdx.x / a.query_tiles;
  const AttentionBlock block = Rules::backward_block(a, tile_rows, blockIdx.x % a.query_tiles, all_heads);
  if (block.first_query >= block.queries) return;
  const int first_row = block.first_query + threadIdx.y * rows;
  load_rows(q_rows, q + block.q, a.q_token, block.first_query, block.queries, a.head_dim);
  load_rows(dout_rows, dout + block.out, a.out_token, block.first_query, block.queries, a.value_dim);
  float sums[rows][2 * chunks] = {}, own_lse[rows], own_delta[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const bool inside = first_row + r < block.queries;
    own_lse[r] = inside ? lse[block.lse + first_row + r] : 0.0f;
    own_delta[r] = inside ? delta[block.lse + first_row + r] : 0.0f;
  }
  const float slope = Rules::slope_of(a, block.head);
  const KeyRange keys = Rules::keys_of_tile(a, block, tile_rows);
  for (int start = keys.first / tile_keys * tile_keys; start < keys.last; start += tile_keys) {
    float product[rows] = {}, pull[rows] = {};
    add_products<Rules>(product, q_rows, tile, k + block.k, a.k_token, start, block.keys, a.head_dim);
    add_products<Rules>(pull, dout_rows, tile, v + block.v, a.v_token, start, block.keys, a.value_dim);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const float weight =
          weight_of<Rules>(a, block, product[r], slope, own_lse[r], first_row + r, start + threadIdx.x);
      pull[r] = weight == 0.0f ? 0.0f : weight * (pull[r] - own_delta[r]) * Rules::query_slope(a, product[r]);
    }
    add_weighted<Rules, chunks>(sums, pull, tile, k + block.k, a.k_token, start, min(tile_keys, keys.last - start),
                                block.keys, a.head_dim);
  }
  const long long start =
      Rules::gradient_start(a.cu_seqlens_q, all_heads / a.heads, block.head, b.dq_batch, b.dq_token, b.dq_head);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    if (first_row + r >= block.queries) break;
    RW_INDEX(first_row + r, block.queries, "dq.rows");
    store_row<T, chunks>(dq + start + (first_row + r) * b.dq_token, sums[r], Rules::gradient_scale(a), a.head_dim);
  }
}

// A block of 16 keys goes over the queries of all heads that share them: dk and dv.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void keys_backward(T* dk, T* dv, const T* q, const T* k, const T* v, const T* dout,
                                              const float* lse, const float* delta, const AttentionBackwardArguments& b,
                                              float (&k_rows)[tile_rows][most_columns],
                                              float (&v_rows)[tile_rows][most_columns], Tile& tile) {
  const AttentionArguments& a = b.forward;
  const int number = blockIdx.x - b.query_blocks, all_heads = number / b.key_tiles;
  const int sequence = all_heads / a.key_heads, key_head = all_heads % a.key_heads, group = a.heads / a.key_heads;
  const int first_head = sequence * a.heads + key_head * group, tile_number = number % b.key_tiles;
  AttentionBlock block = Rules::backward_block(a, tile_rows, tile_number, first_head);
  const int first_key = block.first_query, first_row = first_key + threadIdx.y * rows, lane = threadIdx.x;
  if (first_key >= block.keys) return;
  load_rows(k_rows, k + block.k, a.k_token, first_key, block.keys, a.head_dim);
  load_rows(v_rows, v + block.v, a.v_token, first_key, block.keys, a.value_dim);
  float k_sums[rows][2 * chunks] = {}, v_sums[rows][2 * chunks] = {};
#pragma unroll 1
  for (int n = Rules::first_of_group(group); n < group; ++n) {
    block = Rules::backward_block(a, tile_rows, tile_number, first_head + n);
    const float slope = Rules::slope_of(a, block.head);
#pragma unroll 1
    for (int start = 0; start < block.queries; start += lanes) {
      float product[rows] = {}, pull[rows] = {}, weight[rows];
      add_products<Rules>(product, k_rows, tile, q + block.q, a.q_token, start, block.queries, a.head_dim);
      add_products<Rules>(pull, v_rows, tile, dout + block.out, a.out_token, start, block.queries, a.value_dim);
      const int query = start + lane;
      const bool inside = query < block.queries;
      const float its_lse = inside ? lse[block.lse + query] : 0.0f;
      const float its_delta = inside ? delta[block.lse + query] : 0.0f;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        weight[r] = weight_of<Rules>(a, block, product[r], slope, its_lse, query, first_row + r);
        pull[r] = weight[r] == 0.0f ? 0.0f : weight[r] * (pull[r] - its_delta) * Rules::key_slope(a, product[r]);
      }
      const int used = min(lanes, block.queries - start);
      add_weighted<Rules, chunks>(k_sums, pull, tile, q + block.q, a.q_token, start, used, block.queries, a.head_dim);
      add_weighted<Rules, chunks>(v_sums, weight, tile, dout + block.out, a.out_token, start, used, block.queries,
                                  a.value_dim);
    }
  }
  const long long dk_start = Rules::gradient_start(a.cu_seqlens_k, sequence, key_head, b.dk_batch, b.dk_token, b.dk_head);
  const long long dv_start = Rules::gradient_start(a.cu_seqlens_k, sequence, key_head, b.dv_batch, b.dv_token, b.dv_head);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    if (first_row + r >= block.keys) break;
    RW_INDEX(first_row + r, block.keys, "dk.rows");
    store_row<T, chunks>(dk + dk_start + (first_row + r) * b.dk_token, k_sums[r], Rules::gradient_scale(a), a.head_dim);
    store_row<T, chunks>(dv + dv_start + (first_row + r) * b.dv_token, v_sums[r], 1.0f, a.value_dim);
  }
}

// An entry.
#define ATTENTION_BACKWARD(name, Rules, T, chunks)                                                        \
  extern "C" __global__ void __launch_bounds__(128)                                                       \
      name(T* dq, T* dk, T* dv, const T* q, const T* k, const T* v, const T* dout, const float* lse,      \
           const float* delta, const AttentionBackwardArguments arguments) {                              \
    __shared__ alignas(16) float first[tile_rows][most_columns], second[tile_rows][most_columns];         \
    __shared__ alignas(16) Tile tile;                                                                     \
    if (blockIdx.x < arguments.query_blocks) {                                                            \
      queries_backward<Rules, T, chunks>(dq, q, k, v, dout, lse, delta, arguments, first, second, tile);  \
    } else {                                                                                              \
      keys_backward<Rules, T, chunks>(dk, dv, q, k, v, dout, lse, delta, arguments, first, second, tile); \
    }                                                                                                     \
  }
