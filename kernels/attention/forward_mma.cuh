// Attention forward on tensor cores, for one set of rules by which it reads a problem.
//
// A block has 64 rows of q, 16 a warp, and goes over the keys by 32. The next tile of k is copied while the sums of v
// are made, and the tile of v while the scores are.
#pragma once
#include "kernels/attention/rules.cuh"
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/include/tensor_core.cuh"

constexpr int mma_warps = 4, warp_rows = 16, block_rows = mma_warps * warp_rows, threads = 32 * mma_warps;

// What a faulty form has wrong besides the rules of all kernels: when shared memory may be read, and written again.
struct MmaRules : AttentionRules {
  // Of v; the next tile of k is under way where there is one.
  static __device__ __forceinline__ void wait_for_values(bool has_next) {
    has_next ? wait_for_copies<1>() : wait_for_copies<0>();
    __syncthreads();
  }
  // Before the next tile of k takes the place of the one that all warps have multiplied.
  static __device__ __forceinline__ void wait_for_scores() { __syncthreads(); }
};

__device__ __forceinline__ int whole_sixteens(int columns) { return (columns + 15) & ~15; }

// Rows in shared memory, wider by 16 bytes than their columns so that eight rows are in different banks.
template <class T, int most>
using MmaTile = T[tile_keys][most + 8];

// Where rows of q, k or v of a head of a sequence are, and whether eight columns can be copied at once.
template <class T>
struct HeadRows {
  const T* first;
  long long stride;
  int rows, columns;
  bool by_eight;
};

template <class T>
__device__ __forceinline__ HeadRows<T> head_rows(const T* tensor, long long start, long long batch, long long token,
                                                 long long head, int rows, int columns) {
  const bool by_eight =
      ((batch | token | head | columns) & 7) == 0 && (reinterpret_cast<unsigned long long>(tensor) & 15) == 0;
  return {tensor + start, token, rows, columns, by_eight};
}

// Starts to fill the tile with rows [start, start + 32), in groups of sixteen columns; zeros where there is no element.
template <class Rules, class T, int most>
__device__ __forceinline__ void start_tile(MmaTile<T, most>& tile, const HeadRows<T>& from, int start) {
  const int width = whole_sixteens(from.columns), thread = threadIdx.y * 32 + threadIdx.x;
  if (from.by_eight) {
    const int eights = width / 8;
#pragma unroll 1
    for (int n = thread; n < tile_keys * eights; n += threads) {
      const int row = n / eights, column = n % eights * 8;
      const bool inside = start + row < from.rows && column < from.columns;
      start_copy(&tile[row][column], from.first + (inside ? Rules::row_start(start + row, from.stride) + column : 0),
                 inside);
    }
  } else {
#pragma unroll 1
    for (int n = thread; n < tile_keys * width; n += threads) {
      const int row = n / width, column = n % width;
      const bool inside = start + row < from.rows && column < from.columns;
      tile[row][column] =
          inside ? from.first[Rules::row_start(start + row, from.stride) + column] : from_float<T>(0.0f);
    }
  }
  end_group_of_copies();
}

__device__ __forceinline__ float largest_of_four(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}
__device__ __forceinline__ float sum_of_four(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

// The warp's rows of q as fragments. The block's 64 rows pass through the tiles that k and v have later.
template <class Rules, class T, int most>
__device__ __forceinline__ void load_queries(unsigned (&fragments)[most / 16][4], MmaTile<T, most>& low,
                                             MmaTile<T, most>& high, const HeadRows<T>& from, int first) {
  start_tile<Rules, T, most>(low, from, first);
  start_tile<Rules, T, most>(high, from, first + tile_keys);
  wait_for_copies<0>();
  __syncthreads();
  const int row = (threadIdx.y & 1) * warp_rows + (threadIdx.x & 15), column = threadIdx.x / 16 * 8;
#pragma unroll
  for (int step = 0; step < most / 16; ++step) {
    if (step * 16 >= from.columns) break;
    load_matrices(fragments[step], threadIdx.y < 2 ? &low[row][step * 16 + column] : &high[row][step * 16 + column]);
  }
  __syncthreads();
}

template <class Rules, class T, int most>
__device__ __forceinline__ void attention_forward_mma(T* out, float* lse, const T* q, const T* k, const T* v,
                                                      const AttentionArguments& a) {
  __shared__ alignas(16) MmaTile<T, most> k_tile;
  __shared__ alignas(16) MmaTile<T, most> v_tile;
  const int tiles = (a.query_tiles + 3) / 4;  // of 64 rows; query_tiles are of 16
  const AttentionBlock block = attention_block(a, block_rows, blockIdx.x % tiles, blockIdx.x / tiles);
  if (Rules::is_idle(block)) return;
  const int lane = threadIdx.x, quad = lane / 4, pair = lane % 4 * 2;
  const int first_row = block.first_query + threadIdx.y * warp_rows + quad;  // of two: the other is 8 behind it

  const HeadRows<T> queries = head_rows(q, block.q, a.q_batch, a.q_token, a.q_head, block.queries, a.head_dim);
  const HeadRows<T> all_keys = head_rows(k, block.k, a.k_batch, a.k_token, a.k_head, block.keys, a.head_dim);
  const HeadRows<T> values =
      head_rows(v, block.v, a.v_batch, Rules::value_stride(a), a.v_head, Rules::value_rows(block), a.value_dim);
  unsigned q_fragments[most / 16][4] = {};  // zeros behind D: no register is read unwritten on any way
  load_queries<Rules, T, most>(q_fragments, k_tile, v_tile, queries, block.first_query);

  const float nothing = -INFINITY, slope = Rules::slope_of(a, block.head);
  const bool has_sink = Rules::has_sink(a);
  float largest[2], sum[2], sums[most / 8][4] = {};
  for (int r = 0; r < 2; ++r) {
    largest[r] = has_sink ? a.sinks[block.head] : nothing;
    sum[r] = has_sink && pair == 0 ? 1.0f : 0.0f;  // the four lanes of a row add theirs up at the end
  }
  const KeyRange keys = Rules::keys_of_tile(a, block, block_rows);
  const int begin = keys.first / tile_keys * tile_keys;
  if (begin < keys.last) start_tile<Rules, T, most>(k_tile, all_keys, begin);

  for (int start = begin; start < keys.last; start += tile_keys) {
    wait_for_copies<0>();
    __syncthreads();
    start_tile<Rules, T, most>(v_tile, values, start);

    float score[tile_keys / 8][4] = {};
#pragma unroll
    for (int step = 0; step < most / 16; ++step) {
      if (step * 16 >= a.head_dim) break;
#pragma unroll
      for (int n = 0; n < tile_keys / 8; n += 2) {
        unsigned b[4];
        load_matrices(b, &k_tile[n * 8 + (lane & 7) + lane / 16 * 8][step * 16 + (lane & 8)]);
        add_matrix_product<T>(score[n], q_fragments[step], b[0], b[1]);
        add_matrix_product<T>(score[n + 1], q_fragments[step], b[2], b[3]);
      }
    }
    Rules::wait_for_scores();
    const bool has_next = start + tile_keys < keys.last;
    if (has_next) start_tile<Rules, T, most>(k_tile, all_keys, start + tile_keys);

#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int own_key = first_row + 8 * r + block.shift;
      float next = largest[r];
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n) {
#pragma unroll
        for (int c = 2 * r; c < 2 * r + 2; ++c) {
          const int key = start + n * 8 + pair + (c & 1);
          score[n][c] = Rules::is_visible(a, own_key, key, block.keys)
                            ? Rules::score_of(a, score[n][c], slope, own_key, key)
                            : Rules::masked_score(key, block.keys);
          next = fmaxf(next, score[n][c]);
        }
      }
      next = largest_of_four(next);
      const float from = Rules::subtrahend(next), kept = expf(largest[r] - from);
      largest[r] = next;
      sum[r] *= kept;
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n) {
#pragma unroll
        for (int c = 2 * r; c < 2 * r + 2; ++c) {
          score[n][c] = expf(score[n][c] - from);
          sum[r] += score[n][c];
        }
      }
#pragma unroll
      for (int n = 0; n < most / 8; ++n) {
        sums[n][2 * r] *= kept;
        sums[n][2 * r + 1] *= kept;
      }
    }

    Rules::wait_for_values(has_next);
#pragma unroll
    for (int step = 0; step < tile_keys / 16; ++step) {
      unsigned weights[4];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float(&tile)[4] = score[2 * step + half];
        weights[2 * half] = packed_pair<T>(tile[0], tile[1]);
        weights[2 * half + 1] = packed_pair<T>(tile[2], tile[3]);
      }
#pragma unroll
      for (int n = 0; n < most / 8; n += 2) {
        if (n * 8 >= a.value_dim) break;
        unsigned b[4];
        load_matrices_transposed(b, &v_tile[step * 16 + (lane & 15)][n * 8 + lane / 16 * 8]);
        add_matrix_product<T>(sums[n], weights, b[0], b[1]);
        add_matrix_product<T>(sums[n + 1], weights, b[2], b[3]);
      }
    }
  }

#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float total = sum_of_four(sum[r]);
    const int query = first_row + 8 * r;
    if (query >= block.queries) continue;
    RW_INDEX(query, block.queries, "q.rows");
    const float share = total > 0.0f ? 1.0f / total : 0.0f;
    T* const row = out + block.out + query * a.out_token;
#pragma unroll
    for (int n = 0; n < most / 8; ++n) {
      const int column = n * 8 + pair;
      if (column < a.value_dim) row[column] = from_float<T>(sums[n][2 * r] * share);
      if (column + 1 < a.value_dim) row[column + 1] = from_float<T>(sums[n][2 * r + 1] * share);
    }
    if (pair == 0) lse[block.lse + query] = total > 0.0f ? Rules::lse_of(largest[r], total) : nothing;
  }
}

// An entry.
#define ATTENTION_FORWARD_MMA(name, Rules, T, most)                                                      \
  extern "C" __global__ void __launch_bounds__(threads)                                                  \
      name(T* out, float* lse, const T* q, const T* k, const T* v, const AttentionArguments arguments) { \
    attention_forward_mma<Rules, T, most>(out, lse, q, k, v, arguments);                                 \
  }
