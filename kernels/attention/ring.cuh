// The ring attention kernel of kernels/attention/ring.cu, for one set of rules by which it reads a problem: those of
// ring_rules.cuh, or others where a fault is seeded.
#pragma once
#include "kernels/attention/forward.cuh"
#include "kernels/attention/ring_rules.cuh"

// What a block of queries sees of the keys of one rank, by an online softmax.
template <int chunks>
struct RingPart {
  float largest[rows], sum[rows], sums[rows][2 * chunks];
};

template <class Rules, class T, int chunks>
__device__ __forceinline__ void ring_step(RingPart<chunks>& part, const T* k, const T* v, int rank, int source,
                                          const AttentionArguments& a, const Ring& ring, const AttentionBlock& block,
                                          const float (&q_tile)[tile_rows][most_columns], Tile& tile) {
  const int first_row = block.first_query + threadIdx.y * rows, whole = ring.ranks * ring.tokens;
  const int last_row = min(block.first_query + tile_rows, block.queries) - 1, keys = Rules::keys_of_part(ring);
  const int first_query = Rules::place_of(ring, rank, block.first_query);
  const int last_query = Rules::place_of(ring, rank, last_row);
  const float slope = Rules::slope_of(a, block.head);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    part.largest[r] = Rules::first_largest(a, block.head);
    part.sum[r] = Rules::first_sum(a);
#pragma unroll
    for (int n = 0; n < 2 * chunks; ++n) part.sums[r][n] = 0.0f;
  }
#pragma unroll 1
  for (int start = 0; start < keys; start += tile_keys) {
    const int used = min(tile_keys, keys - start);
    const int first_key = Rules::key_place(ring, rank, source, start);
    const int last_key = Rules::key_place(ring, rank, source, start + used - 1);
    if (!Rules::is_any_visible(a, first_query, last_query, first_key, last_key)) continue;
    float score[rows] = {};
    add_products<Rules>(score, q_tile, tile, k + block.k, a.k_token, start, keys, a.head_dim);
    const int key = Rules::key_place(ring, rank, source, start + threadIdx.x);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int own_key = Rules::place_of(ring, rank, first_row + r);
      const bool visible = threadIdx.x < used && Rules::is_visible(a, own_key, key, whole);
      const float mine = visible ? Rules::score_of(a, score[r], slope, own_key, key) : -INFINITY;
      const float next = fmaxf(part.largest[r], largest_of_warp(mine));
      const float from = Rules::subtrahend(next);
      const float kept = expf(part.largest[r] - from);
      part.largest[r] = next;
      score[r] = expf(mine - from);
      part.sum[r] = part.sum[r] * kept + sum_of_warp(score[r]);
#pragma unroll
      for (int n = 0; n < 2 * chunks; ++n) part.sums[r][n] *= kept;
    }
    add_weighted<Rules, chunks>(part.sums, score, tile, v + block.v, a.v_token, start, used, keys, a.value_dim);
  }
}

template <class Rules, class T, int chunks>
__device__ __forceinline__ void ring_forward(const RingOutputs& to, const RingInputs& from,
                                             const RingArguments& given) {
  __shared__ alignas(16) float q_tile[tile_rows][most_columns];
  __shared__ alignas(16) Tile tile;
  const AttentionArguments& a = given.forward;
  const int blocks_of_rank = gridDim.x / given.ranks;
  const int rank = blockIdx.x / blocks_of_rank, number = blockIdx.x % blocks_of_rank;
  const AttentionBlock block = attention_block(a, tile_rows, number % a.query_tiles, number / a.query_tiles);
  if (Rules::is_idle(block)) return;
  const Ring ring = ring_of(a, given.ranks, given.zigzag, number / a.query_tiles / a.heads, block.queries);
  const int first_row = block.first_query + threadIdx.y * rows;
  load_rows(q_tile, static_cast<const T*>(of_rank(from.q, rank)) + block.q, a.q_token, block.first_query, block.queries,
            a.head_dim);

  float lse[rows], sums[rows][2 * chunks] = {};
#pragma unroll
  for (int r = 0; r < rows; ++r) lse[r] = Rules::first_lse(a, block.head);
#pragma unroll 1
  for (int step = 0; step < Rules::steps_of(ring); ++step) {
    const int source = Rules::source_of(ring, rank, step);
    RingPart<chunks> part;
    ring_step<Rules, T, chunks>(part, static_cast<const T*>(of_rank(from.k, source)),
                                static_cast<const T*>(of_rank(from.v, source)), rank, source, a, ring, block, q_tile,
                                tile);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool any = part.sum[r] > 0.0f;
      const float share = any ? 1.0f / part.sum[r] : 0.0f;
#pragma unroll
      for (int n = 0; n < 2 * chunks; ++n) part.sums[r][n] *= share;
      const float part_lse = any ? Rules::lse_of(part.largest[r], part.sum[r]) : -INFINITY;
      Rules::merge(lse[r], sums[r], part_lse, part.sums[r], step);
    }
  }

  T* const out = static_cast<T*>(of_rank(to.out, rank)) + block.out;
  float* const lses = of_rank(to.lse, rank) + block.lse;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int query = first_row + r;
    if (query >= block.queries) break;
    RW_INDEX(query, block.queries, "q.rows");
    store_row<T, chunks>(out + query * a.out_token, sums[r], 1.0f, a.value_dim);
    if (threadIdx.x == 0) lses[query] = Rules::stored_lse(lse[r]);
  }
}

// An entry.
#define ATTENTION_RING(name, Rules, T, chunks)                                           \
  extern "C" __global__ void __launch_bounds__(128)                                      \
      name(const RingOutputs to, const RingInputs from, const RingArguments arguments) { \
    ring_forward<Rules, T, chunks>(to, from, arguments);                                 \
  }
