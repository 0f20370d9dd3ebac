// The decode kernel of kernels/attention/decode.cu, for one set of rules by which it reads a problem: those below, or
// others where a fault is seeded.
#pragma once
#include "kernels/attention/decode_arguments.h"
#include "kernels/attention/forward.cuh"

// Where the rows of a head of k or v of a sequence lie: one behind another, or in pages.
struct KeyRows {
  const int* pages;       // of the sequence; null: no pages
  int count, pool;        // entries of `pages`; pages that there are
  int page_size;          // tokens to a page
  long long page, token;  // strides
};

// A block's part of the work: the queries of all heads that share a head of k, over one part of a sequence's keys.
struct DecodeBlock {
  int sequence, key_head, split, first_row;
  int group, rows;              // heads to a head of k; row n is query n / group of the head n % group of them
  int keys;                     // of the sequence
  int shift;                    // a query's own key is query + shift
  KeyRange part;                // of the keys
  long long q, k, v, out, lse;  // elements from the tensors' starts to the first row
};

struct DecodeRules : AttentionRules {
  using AttentionRules::has_sink;
  static __device__ __forceinline__ long long row_start(int row, const KeyRows& rows) {
    if (!rows.pages) return row * rows.token;
    const int page = row / rows.page_size;
    RW_INDEX(page, rows.count, "block_table.pages");
    RW_INDEX(rows.pages[page], rows.pool, "k.pages");
    return rows.pages[page] * rows.page + row % rows.page_size * rows.token;
  }
  // What a sequence's rows are counted from: its batch of k and v, or the first page of all.
  static __device__ __forceinline__ int first_batch(const AttentionDecodeArguments& d, int sequence) {
    return d.block_table ? 0 : sequence;
  }
  static __device__ __forceinline__ const int* pages_of(const AttentionDecodeArguments& d, int sequence) {
    return d.block_table ? d.block_table + static_cast<long long>(sequence) * d.table_columns : nullptr;
  }
  static __device__ __forceinline__ int keys_of(const AttentionDecodeArguments& d, int sequence) {
    return d.key_lengths ? d.key_lengths[sequence] : d.attention.keys;
  }
  // Part `split` of the keys, all of one size but the last ones.
  static __device__ __forceinline__ KeyRange part_of(const AttentionDecodeArguments& d, int split, int keys) {
    const int most = keys / d.splits + (keys % d.splits != 0);
    const long long first = static_cast<long long>(split) * most;
    return {static_cast<int>(min(first, static_cast<long long>(keys))),
            static_cast<int>(min(first + most, static_cast<long long>(keys)))};
  }
  // Whether the block leaves its rows alone.
  static __device__ __forceinline__ bool is_idle(const DecodeBlock&) { return false; }
  // The sink counts once: here where the keys are in one part, else in the merge.
  static __device__ __forceinline__ bool has_sink(const AttentionDecodeArguments& d) {
    return d.attention.sinks && d.splits == 1;
  }
  // The end of the rows of v that are loaded, for keys up to `last` that are used.
  static __device__ __forceinline__ int value_end(const AttentionDecodeArguments&, const DecodeBlock&, int last) {
    return last;
  }
};

template <class Rules>
__device__ __forceinline__ DecodeBlock decode_block(const AttentionDecodeArguments& d) {
  const AttentionArguments& a = d.attention;
  DecodeBlock block;
  int number = blockIdx.x / d.row_tiles;
  block.split = number % d.splits;
  number /= d.splits;
  block.key_head = number % a.key_heads;
  block.sequence = number / a.key_heads;
  block.first_row = blockIdx.x % d.row_tiles * tile_rows;
  block.group = a.heads / a.key_heads;
  block.rows = a.queries * block.group;
  block.keys = Rules::keys_of(d, block.sequence);
  block.shift = a.top_left ? 0 : block.keys - a.queries;
  block.part = Rules::part_of(d, block.split, block.keys);
  const long long head = block.key_head * block.group, batch = Rules::first_batch(d, block.sequence);
  block.q = block.sequence * a.q_batch + head * a.q_head;
  block.k = batch * a.k_batch + block.key_head * a.k_head;
  block.v = batch * a.v_batch + block.key_head * a.v_head;
  block.out = block.split * d.out_split + block.sequence * a.out_batch + head * a.out_head;
  block.lse = block.split * d.lse_split + block.sequence * a.lse_batch + head * a.lse_head;
  return block;
}

// The keys of the block's part that any of its rows sees.
__device__ __forceinline__ KeyRange keys_of_block(const AttentionArguments& a, const DecodeBlock& block) {
  const int first = block.first_row / block.group + block.shift;
  const int last = (min(block.first_row + tile_rows, block.rows) - 1) / block.group + block.shift;
  return {a.window_left < 0 ? block.part.first : max(block.part.first, first - a.window_left),
          a.window_right < 0 ? block.part.last : min(block.part.last, last + a.window_right + 1)};
}

// The block's rows of q; zero where there is none.
template <class T>
__device__ __forceinline__ void load_queries(float (&own)[tile_rows][most_columns], const T* q,
                                             const AttentionArguments& a, const DecodeBlock& block) {
#pragma unroll 1
  for (int n = threadIdx.y; n < tile_rows; n += warps) {
    const int row = block.first_row + n;
    const T* from = q + block.q + row / block.group * a.q_token + row % block.group * a.q_head;
#pragma unroll 1
    for (int column = threadIdx.x; column < whole_fours(a.head_dim); column += lanes) {
      own[n][column] = row < block.rows && column < a.head_dim ? to_float(from[column]) : 0.0f;
    }
  }
}

// `out` where the keys are in one part, else `out_partial`.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void attention_decode(T* out, float* out_partial, float* lse, const T* q, const T* k,
                                                 const T* v, const AttentionDecodeArguments& d) {
  __shared__ alignas(16) float q_tile[tile_rows][most_columns];
  __shared__ alignas(16) Tile tile;
  const AttentionArguments& a = d.attention;
  const DecodeBlock block = decode_block<Rules>(d);
  if (Rules::is_idle(block)) return;
  const int lane = threadIdx.x, first_row = block.first_row + threadIdx.y * rows;
  load_queries(q_tile, q, a, block);

  const float nothing = -INFINITY;
  const bool has_sink = Rules::has_sink(d);
  float largest[rows], sum[rows], slope[rows], sums[rows][2 * chunks] = {};
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int head = block.key_head * block.group + (first_row + r) % block.group;
    largest[r] = has_sink ? a.sinks[head] : nothing;
    sum[r] = has_sink ? 1.0f : 0.0f;
    slope[r] = Rules::slope_of(a, head);
  }
  const int* const pages = Rules::pages_of(d, block.sequence);
  const KeyRows k_rows{pages, d.table_columns, d.pages, d.page_size, a.k_batch, a.k_token};
  const KeyRows v_rows{pages, d.table_columns, d.pages, d.page_size, a.v_batch, a.v_token};
  const KeyRange keys = keys_of_block(a, block);

  for (int start = keys.first; start < keys.last; start += tile_keys) {
    float score[rows] = {};
    add_products<Rules>(score, q_tile, tile, k + block.k, k_rows, start, keys.last, a.head_dim);

#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int own_key = (first_row + r) / block.group + block.shift, key = start + lane;
      const bool visible = Rules::is_visible(a, own_key, key, keys.last);
      const float mine =
          visible ? Rules::score_of(a, score[r], slope[r], own_key, key) : Rules::masked_score(key, keys.last);
      const float next = fmaxf(largest[r], largest_of_warp(mine));
      const float from = Rules::subtrahend(next);
      const float kept = expf(largest[r] - from);
      largest[r] = next;
      score[r] = expf(mine - from);
      sum[r] = sum[r] * kept + sum_of_warp(score[r]);
#pragma unroll
      for (int n = 0; n < 2 * chunks; ++n) sums[r][n] *= kept;
    }

    add_weighted<Rules, chunks>(sums, score, tile, v + block.v, v_rows, start, min(tile_keys, keys.last - start),
                                Rules::value_end(d, block, keys.last), a.value_dim);
  }

#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int row = first_row + r;
    if (row >= block.rows) break;
    const int query = row / block.group, head = row % block.group;
    RW_INDEX(query, a.queries, "q.rows");
    const float share = sum[r] > 0.0f ? 1.0f / sum[r] : 0.0f;
    const long long start = block.out + query * a.out_token + head * a.out_head;
    if (d.splits > 1) {
      store_row<float, chunks>(out_partial + start, sums[r], share, a.value_dim);
    } else {
      store_row<T, chunks>(out + start, sums[r], share, a.value_dim);
    }
    if (lane == 0) {
      lse[block.lse + head * a.lse_head + query] = sum[r] > 0.0f ? Rules::lse_of(largest[r], sum[r]) : nothing;
    }
  }
}

// An entry.
#define ATTENTION_DECODE(name, Rules, T, chunks)                                       \
  extern "C" __global__ void __launch_bounds__(128)                                    \
      name(T* out, float* out_partial, float* lse, const T* q, const T* k, const T* v, \
           const AttentionDecodeArguments arguments) {                                 \
    attention_decode<Rules, T, chunks>(out, out_partial, lse, q, k, v, arguments);     \
  }
