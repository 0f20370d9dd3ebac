// Attention, forward, with an online softmax over tiles of keys.
//
//   s[i, j] = softcap tanh(scale q[i].k[j] / softcap) - slope |i + shift - j|     j visible from i
//   lse[i] = log(sum_j exp(s[i, j]) + exp(sink)),   out[i] = sum_j exp(s[i, j] - lse[i]) v[j]
//   a row that sees nothing: out = 0, lse = -inf
//
// q [B, Tq, H, D], k [B, Tk, Hk, D], v [B, Tk, Hk, Dv], out [B, Tq, H, Dv], lse f32 [B, H, Tq]; with cu_seqlens
// [rows, heads, columns] and lse [H, rows]. Head h of q has the keys of head h / (H / Hk). D, Dv up to 256; an entry's
// name says the dtype of q, k, v and out, then the largest Dv.
//
// Grid (sequences x heads x query tiles), block (32 lanes, 4 warps): a warp has 4 queries; its lanes are 32 keys while
// scores are summed, then columns of v. Keys and values go through shared memory 64 columns at a time.
#include "kernels/attention/scores.cuh"
#include "kernels/attention/sequence.cuh"
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"

constexpr int lanes = 32, warps = 4, rows = 4, tile_rows = warps * rows, tile_keys = 32, chunk = 64, most_columns = 256;

// The rows [first_key, first_key + 32) of a key or value head, columns [first_column, first_column + 64); zero where
// there is none, so that what lies behind the last key never enters a sum.
template <class T>
__device__ __forceinline__ void load_tile(float (&tile)[tile_keys][chunk + 1], const T* from, long long token_stride,
                                          int first_key, int keys, int first_column, int columns) {
  __syncthreads();
#pragma unroll 1
  for (int row = threadIdx.y; row < tile_keys; row += warps) {
    for (int column = threadIdx.x; column < chunk; column += lanes) {
      const bool inside = first_key + row < keys && first_column + column < columns;
      tile[row][column] = inside ? to_float(from[(first_key + row) * token_stride + first_column + column]) : 0.0f;
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

template <class T, int chunks>
__device__ __forceinline__ void attention_forward(T* out, float* lse, const T* q, const T* k, const T* v,
                                                  const AttentionArguments& a) {
  __shared__ float q_tile[tile_rows][most_columns];
  __shared__ float tile[tile_keys][chunk + 1];
  const AttentionBlock block = attention_block(a, tile_rows);
  if (block.first_query >= block.queries) return;
  const int lane = threadIdx.x, first_row = threadIdx.y * rows;

#pragma unroll 1
  for (int row = threadIdx.y; row < tile_rows; row += warps) {
    const int query = block.first_query + row;
#pragma unroll 1
    for (int column = lane; column < a.head_dim; column += lanes) {
      q_tile[row][column] = query < block.queries ? to_float(q[block.q + query * a.q_token + column]) : 0.0f;
    }
  }

  const float nothing = -INFINITY, slope = a.slopes ? a.slopes[block.head] : 0.0f;
  float largest[rows], sum[rows], sums[rows][2 * chunks] = {};
  for (int r = 0; r < rows; ++r) {
    largest[r] = a.sinks ? a.sinks[block.head] : nothing;
    sum[r] = a.sinks ? 1.0f : 0.0f;
  }
  // Keys that any query of the tile sees.
  const int last_query = min(block.first_query + tile_rows, block.queries) - 1;
  const int first_key = a.window_left < 0 ? 0 : max(0, block.first_query + block.shift - a.window_left);
  const int last_key = a.window_right < 0 ? block.keys : min(block.keys, last_query + block.shift + a.window_right + 1);

  for (int start = first_key / tile_keys * tile_keys; start < last_key; start += tile_keys) {
    float score[rows] = {};
    for (int column = 0; column < a.head_dim; column += chunk) {
      load_tile(tile, k + block.k, a.k_token, start, block.keys, column, a.head_dim);
      const int width = min(chunk, a.head_dim - column);
      for (int c = 0; c < width; ++c) {
        const float key = tile[lane][c];
#pragma unroll
        for (int r = 0; r < rows; ++r) score[r] += q_tile[first_row + r][column + c] * key;
      }
    }

#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int own_key = block.first_query + first_row + r + block.shift, key = start + lane;
      const bool visible = is_visible(a, own_key, key, block.keys);
      const float mine = visible ? score_of(a, score[r], slope, own_key, key) : nothing;
      const float next = fmaxf(largest[r], largest_of_warp(mine));
      const float from = next == nothing ? 0.0f : next;  // nothing seen yet: -inf - -inf is no number
      const float kept = expf(largest[r] - from);
      largest[r] = next;
      score[r] = expf(mine - from);
      sum[r] = sum[r] * kept + sum_of_warp(score[r]);
#pragma unroll
      for (int n = 0; n < 2 * chunks; ++n) sums[r][n] *= kept;
    }

    const int count = min(tile_keys, last_key - start);
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
      if (n * chunk >= a.value_dim) break;
      load_tile(tile, v + block.v, a.v_token, start, block.keys, n * chunk, a.value_dim);
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
    if (lane == 0) lse[block.lse + query] = sum[r] > 0.0f ? largest[r] + logf(sum[r]) : nothing;
  }
}

#define ATTENTION_FORWARD(name, T, chunks)                                                               \
  extern "C" __global__ void __launch_bounds__(128)                                                      \
      name(T* out, float* lse, const T* q, const T* k, const T* v, const AttentionArguments arguments) { \
    attention_forward<T, chunks>(out, lse, q, k, v, arguments);                                          \
  }

#define ATTENTION_FORWARD_OF(dtype, T)                    \
  ATTENTION_FORWARD(attention_forward_##dtype##_64, T, 1) \
  ATTENTION_FORWARD(attention_forward_##dtype##_256, T, 4)

ATTENTION_FORWARD_OF(f32, float)
ATTENTION_FORWARD_OF(f16, __half)
ATTENTION_FORWARD_OF(bf16, __nv_bfloat16)
