// Where a block of an attention kernel finds its queries and keys.
#pragma once
#include "kernels/attention/arguments.h"

struct AttentionBlock {
  int head, first_query;        // of the block's tile
  int queries, keys;            // of the sequence
  int shift;                    // a query's own key is query + shift
  long long q, k, v, out, lse;  // elements from the tensors' starts to the head's first row
};

// `all_heads` counts heads within sequences.
__device__ __forceinline__ AttentionBlock attention_block(const AttentionArguments& a, int tile_rows, int tile,
                                                          int all_heads) {
  const int sequence = all_heads / a.heads;
  AttentionBlock block;
  block.head = all_heads % a.heads;
  block.first_query = tile * tile_rows;
  block.queries = a.queries;
  block.keys = a.keys;
  const int key_head = block.head / (a.heads / a.key_heads);
  block.q = block.head * a.q_head;
  block.k = key_head * a.k_head;
  block.v = key_head * a.v_head;
  block.out = block.head * a.out_head;
  block.lse = block.head * a.lse_head;
  if (a.cu_seqlens_q) {
    const int first_query = a.cu_seqlens_q[sequence], first_key = a.cu_seqlens_k[sequence];
    block.queries = a.cu_seqlens_q[sequence + 1] - first_query;
    block.keys = a.cu_seqlens_k[sequence + 1] - first_key;
    block.q += first_query * a.q_token;
    block.k += first_key * a.k_token;
    block.v += first_key * a.v_token;
    block.out += first_query * a.out_token;
    block.lse += first_query;
  } else {
    block.q += sequence * a.q_batch;
    block.k += sequence * a.k_batch;
    block.v += sequence * a.v_batch;
    block.out += sequence * a.out_batch;
    block.lse += sequence * a.lse_batch;
  }
  block.shift = a.top_left ? 0 : block.keys - block.queries;
  return block;
}
