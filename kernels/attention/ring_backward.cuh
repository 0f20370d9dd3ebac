// The ring attention backward kernel of kernels/attention/ring_backward.cu, for one set of rules by which it reads a
// problem: those of ring_rules.cuh, or others where a fault is seeded.
#pragma once
#include "kernels/attention/backward.cuh"
#include "kernels/attention/ring_rules.cuh"

// A query's weight of a key, both by their places in the whole sequence; 0 where it does not see the key.
template <class Rules>
__device__ __forceinline__ float weight_in_ring(const AttentionArguments& a, const Ring& ring, float product,
                                                float slope, float lse, int own_key, int key) {
  const bool visible = Rules::is_visible(a, own_key, key, ring.ranks * ring.tokens);
  return visible ? expf(Rules::score_of(a, product, slope, own_key, key) - lse) : 0.0f;
}

// A block of 16 queries of a rank meets the keys of all ranks: dq.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void ring_queries_backward(const RingGradients& to, const RingBackwardInputs& from,
                                                      const RingBackwardArguments& given, int number,
                                                      float (&q_rows)[tile_rows][most_columns],
                                                      float (&dout_rows)[tile_rows][most_columns], Tile& tile) {
  const AttentionBackwardArguments& b = given.backward;
  const AttentionArguments& a = b.forward;
  const int blocks_of_rank = b.query_blocks / given.ranks, rank = number / blocks_of_rank;
  const int all_heads = number % blocks_of_rank / a.query_tiles;
  const AttentionBlock block = attention_block(a, tile_rows, number % a.query_tiles, all_heads);
  if (Rules::is_idle(block)) return;
  const Ring ring = ring_of(a, given.ranks, given.zigzag, all_heads / a.heads, block.queries);
  const int first_row = block.first_query + threadIdx.y * rows;
  const int last_row = min(block.first_query + tile_rows, block.queries) - 1;
  load_rows(q_rows, static_cast<const T*>(of_rank(from.q, rank)) + block.q, a.q_token, block.first_query, block.queries,
            a.head_dim);
  load_rows(dout_rows, static_cast<const T*>(of_rank(from.dout, rank)) + block.out, a.out_token, block.first_query,
            block.queries, a.value_dim);
  float sums[rows][2 * chunks] = {}, own_lse[rows], own_delta[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const bool inside = first_row + r < block.queries;
    own_lse[r] = inside ? of_rank(from.lse, rank)[block.lse + first_row + r] : 0.0f;
    own_delta[r] = inside ? of_rank(from.delta, rank)[block.lse + first_row + r] : 0.0f;
  }
  const float slope = Rules::slope_of(a, block.head);
  const int first_query = Rules::place_of(ring, rank, block.first_query);
  const int last_query = Rules::place_of(ring, rank, last_row);
#pragma unroll 1
  for (int step = 0; step < Rules::steps_of(ring); ++step) {
    const int source = Rules::source_of(ring, rank, step);
    const T* const k = static_cast<const T*>(of_rank(from.k, source)) + block.k;
    const T* const v = static_cast<const T*>(of_rank(from.v, source)) + block.v;
#pragma unroll 1
    for (int start = 0; start < ring.tokens; start += tile_keys) {
      const int used = min(tile_keys, ring.tokens - start);
      const int first_key = Rules::key_place(ring, rank, source, start);
      const int last_key = Rules::key_place(ring, rank, source, start + used - 1);
      if (!Rules::is_any_visible(a, first_query, last_query, first_key, last_key)) continue;
      float product[rows] = {}, pull[rows] = {};
      add_products<Rules>(product, q_rows, tile, k, a.k_token, start, ring.tokens, a.head_dim);
      add_products<Rules>(pull, dout_rows, tile, v, a.v_token, start, ring.tokens, a.value_dim);
      const int key = Rules::key_place(ring, rank, source, start + threadIdx.x);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int own_key = Rules::place_of(ring, rank, first_row + r);
        const bool inside = threadIdx.x < used && first_row + r < block.queries;
        const float weight =
            inside ? weight_in_ring<Rules>(a, ring, product[r], slope, own_lse[r], own_key, key) : 0.0f;
        pull[r] = weight == 0.0f ? 0.0f : weight * (pull[r] - own_delta[r]) * Rules::query_slope(a, product[r]);
      }
      add_weighted<Rules, chunks>(sums, pull, tile, k, a.k_token, start, used, ring.tokens, a.head_dim);
    }
  }
  T* const dq = static_cast<T*>(of_rank(to.dq, rank)) +
                Rules::gradient_start(a.cu_seqlens_q, all_heads / a.heads, block.head, b.dq_batch, b.dq_token, b.dq_head);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    if (first_row + r >= block.queries) break;
    RW_INDEX(first_row + r, block.queries, "dq.rows");
    store_row<T, chunks>(dq + (first_row + r) * b.dq_token, sums[r], Rules::gradient_scale(a), a.head_dim);
  }
}

// Adds what the queries of one rank have to say of a block of 16 keys, head by head of those that share them.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void ring_visit(float (&k_sums)[rows][2 * chunks], float (&v_sums)[rows][2 * chunks],
                                           const RingBackwardInputs& from, const AttentionArguments& a, int rank,
                                           int visitor, int tile_number, int first_head, const Ring& ring,
                                           const float (&k_rows)[tile_rows][most_columns],
                                           const float (&v_rows)[tile_rows][most_columns], Tile& tile) {
  const T* const q = static_cast<const T*>(of_rank(from.q, visitor));
  const T* const dout = static_cast<const T*>(of_rank(from.dout, visitor));
  const float* const lse = of_rank(from.lse, visitor);
  const float* const delta = of_rank(from.delta, visitor);
  const int group = a.heads / a.key_heads, first_token = tile_number * tile_rows;
  const int first_row = first_token + threadIdx.y * rows, last_row = min(first_token + tile_rows, ring.tokens) - 1;
  const int first_key = Rules::key_place(ring, visitor, rank, first_token);
  const int last_key = Rules::key_place(ring, visitor, rank, last_row);
#pragma unroll 1
  for (int n = 0; n < group; ++n) {
    const AttentionBlock block = attention_block(a, tile_rows, tile_number, first_head + n);
    const float slope = Rules::slope_of(a, block.head);
#pragma unroll 1
    for (int start = 0; start < ring.tokens; start += lanes) {
      const int used = min(lanes, ring.tokens - start), query = start + threadIdx.x;
      if (!Rules::is_any_visible(a, Rules::place_of(ring, visitor, start),
                                 Rules::place_of(ring, visitor, start + used - 1), first_key, last_key))
        continue;
      float product[rows] = {}, pull[rows] = {}, weight[rows];
      add_products<Rules>(product, k_rows, tile, q + block.q, a.q_token, start, ring.tokens, a.head_dim);
      add_products<Rules>(pull, v_rows, tile, dout + block.out, a.out_token, start, ring.tokens, a.value_dim);
      const float its_lse = query < ring.tokens ? lse[block.lse + query] : 0.0f;
      const float its_delta = query < ring.tokens ? delta[block.lse + query] : 0.0f;
      const int own_key = Rules::place_of(ring, visitor, query);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int key = Rules::key_place(ring, visitor, rank, first_row + r);
        const bool inside = query < ring.tokens && first_row + r < ring.tokens;
        weight[r] = inside ? weight_in_ring<Rules>(a, ring, product[r], slope, its_lse, own_key, key) : 0.0f;
        pull[r] = weight[r] == 0.0f ? 0.0f : weight[r] * (pull[r] - its_delta) * Rules::key_slope(a, product[r]);
      }
      add_weighted<Rules, chunks>(k_sums, pull, tile, q + block.q, a.q_token, start, used, ring.tokens, a.head_dim);
      add_weighted<Rules, chunks>(v_sums, weight, tile, dout + block.out, a.out_token, start, used, ring.tokens,
                                  a.value_dim);
    }
  }
}

// A block of 16 keys of a rank meets the queries of all ranks: dk and dv.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void ring_keys_backward(const RingGradients& to, const RingBackwardInputs& from,
                                                   const RingBackwardArguments& given, int number,
                                                   float (&k_rows)[tile_rows][most_columns],
                                                   float (&v_rows)[tile_rows][most_columns], Tile& tile) {
  const AttentionBackwardArguments& b = given.backward;
  const AttentionArguments& a = b.forward;
  const int blocks_of_rank = (gridDim.x - b.query_blocks) / given.ranks, rank = number / blocks_of_rank;
  const int all_heads = number % blocks_of_rank / b.key_tiles, tile_number = number % b.key_tiles;
  const int sequence = all_heads / a.key_heads, key_head = all_heads % a.key_heads;
  const int first_head = sequence * a.heads + key_head * (a.heads / a.key_heads);
  const int first_token = tile_number * tile_rows, first_row = first_token + threadIdx.y * rows;
  const AttentionBlock block = attention_block(a, tile_rows, tile_number, first_head);
  if (Rules::is_idle(block)) return;
  const Ring ring = ring_of(a, given.ranks, given.zigzag, sequence, block.keys);
  load_rows(k_rows, static_cast<const T*>(of_rank(from.k, rank)) + block.k, a.k_token, first_token, ring.tokens,
            a.head_dim);
  load_rows(v_rows, static_cast<const T*>(of_rank(from.v, rank)) + block.v, a.v_token, first_token, ring.tokens,
            a.value_dim);
  float k_sums[rows][2 * chunks] = {}, v_sums[rows][2 * chunks] = {};
#pragma unroll 1
  for (int step = 0; step < Rules::key_steps_of(ring); ++step) {
    ring_visit<Rules, T, chunks>(k_sums, v_sums, from, a, rank, Rules::visitor_of(ring, rank, step), tile_number,
                                 first_head, ring, k_rows, v_rows, tile);
  }
  T* const dk = static_cast<T*>(of_rank(to.dk, rank)) +
                Rules::gradient_start(a.cu_seqlens_k, sequence, key_head, b.dk_batch, b.dk_token, b.dk_head);
  T* const dv = static_cast<T*>(of_rank(to.dv, rank)) +
                Rules::gradient_start(a.cu_seqlens_k, sequence, key_head, b.dv_batch, b.dv_token, b.dv_head);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    if (first_row + r >= ring.tokens) break;
    RW_INDEX(first_row + r, ring.tokens, "dk.rows");
    store_row<T, chunks>(dk + (first_row + r) * b.dk_token, k_sums[r], Rules::gradient_scale(a), a.head_dim);
    store_row<T, chunks>(dv + (first_row + r) * b.dv_token, v_sums[r], 1.0f, a.value_dim);
  }
}

// An entry.
#define ATTENTION_RING_BACKWARD(name, Rules, T, chunks)                                                          \
  extern "C" __global__ void __launch_bounds__(128)                                                              \
      name(const RingGradients to, const RingBackwardInputs from, const RingBackwardArguments arguments) {       \
    __shared__ alignas(16) float first[tile_rows][most_columns], second[tile_rows][most_columns];                \
    __shared__ alignas(16) Tile tile;                                                                            \
    const unsigned query_blocks = arguments.backward.query_blocks;                                               \
    if (blockIdx.x < query_blocks) {                                                                             \
      ring_queries_backward<Rules, T, chunks>(to, from, arguments, blockIdx.x, first, second, tile);             \
    } else {                                                                                                     \
      ring_keys_backward<Rules, T, chunks>(to, from, arguments, blockIdx.x - query_blocks, first, second, tile); \
    }                                                                                                            \
  }
