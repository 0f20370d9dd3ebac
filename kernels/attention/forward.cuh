// The attention forward kernel of kernels/attention/forward.cu, for one set of rules by which it reads a problem: those
// of rules.cuh, or others where a fault is planted.
#pragma once
#include "kernels/attention/rules.cuh"
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"

constexpr int lanes = 32, warps = 4, rows = 4, tile_rows = warps * rows, chunk = 64, most_columns = 256;

// Rows of k and v as they lie in shared memory: a multiple of 4 columns, so that four are read at once.
using Tile = float[tile_keys][chunk + 4];

__device__ __forceinline__ int whole_fours(int columns) { return (columns + 3) & ~3; }

// The rows [first_key, first_key + 32) of a key or value head, `width` columns from first_column on; zero where there
// is none, so that what lies behind the last key never enters a sum.
template <class Rules, class T>
__device__ __forceinline__ void load_tile(Tile& tile, const T* from, long long token_stride, int first_key, int keys,
                                          int first_column, int width, int columns) {
  __syncthreads();
#pragma unroll 1
  for (int row = threadIdx.y; row < tile_keys; row += warps) {
    const bool is_row = first_key + row < keys;
    const long long start = Rules::row_start(first_key + row, token_stride) + first_column;
#pragma unroll 1
    for (int column = threadIdx.x; column < width; column += lanes) {
      const bool inside = is_row && first_column + column < columns;
      tile[row][column] = inside ? to_float(from[start + column]) : 0.0f;
    }
  }
  __syncthreads();
}

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

#pragma unroll 1
  for (int row = threadIdx.y; row < tile_rows; row += warps) {
    const int query = block.first_query + row;
#pragma unroll 1
    for (int column = lane; column < whole_fours(a.head_dim); column += lanes) {
      const bool inside = query < block.queries && column < a.head_dim;
      q_tile[row][column] = inside ? to_float(q[block.q + query * a.q_token + column]) : 0.0f;
    }
  }

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
    for (int column = 0; column < a.head_dim; column += chunk) {
      const int width = whole_fours(min(chunk, a.head_dim - column));
      load_tile<Rules>(tile, k + block.k, a.k_token, start, block.keys, column, width, a.head_dim);
#pragma unroll 2
      for (int c = 0; c < width; c += 4) {
        const float4 key = *reinterpret_cast<const float4*>(&tile[lane][c]);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const float4 query = *reinterpret_cast<const float4*>(&q_tile[first_row + r][column + c]);
          score[r] += query.x * key.x;
          score[r] += query.y * key.y;
          score[r] += query.z * key.z;
          score[r] += query.w * key.w;
        }
      }
    }

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

    const int count = min(tile_keys, keys.last - start);
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
      if (n * chunk >= a.value_dim) break;
      load_tile<Rules>(tile, v + block.v, Rules::value_stride(a), start, Rules::value_rows(block), n * chunk, chunk,
                       a.value_dim);
#pragma unroll 2
      for (int key = 0; key < count; ++key) {
        const float low = tile[key][lane], high = tile[key][lane + lanes];
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const float weight = __shfl_sync(0xffffffffu, score[r], key);
          sums[r][2 * n] += weight * low;
          sums[r][2 * n + 1] += weight * high;
        }
      }
    }
  }

#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int query = block.first_query + first_row + r;
    if (query >= block.queries) break;
    RW_INDEX(query, block.queries, "q.rows");
    const float share = sum[r] > 0.0f ? 1.0f / sum[r] : 0.0f;
#pragma unroll
    for (int n = 0; n < 2 * chunks; ++n) {
      const int column = n * lanes + lane;
      if (column >= a.value_dim) break;
      out[block.out + query * a.out_token + column] = from_float<T>(sums[r][n] * share);
    }
    if (lane == 0) lse[block.lse + query] = sum[r] > 0.0f ? Rules::lse_of(largest[r], sum[r]) : nothing;
  }
}

// An entry.
#define ATTENTION_FORWARD(name, Rules, T, chunks)                                                        \
  extern "C" __global__ void __launch_bounds__(128)                                                      \
      name(T* out, float* lse, const T* q, const T* k, const T* v, const AttentionArguments arguments) { \
    attention_forward<Rules, T, chunks>(out, lse, q, k, v, arguments);                                   \
  }
