// The arguments that the attention kernels take by value, laid out alike by nvcc and by the host compiler.
#pragma once

// Strides in elements; the last dimension has stride 1.
struct AttentionArguments {
  const int* cu_seqlens_q;  // [sequences + 1], or null: every sequence has `queries` and `keys` rows
  const int* cu_seqlens_k;
  const float* slopes;  // [heads], or null: no ALiBi
  const float* sinks;   // [heads], or null: no sink
  int queries, keys;    // of one sequence; with cu_seqlens of the longest
  int heads, key_heads;
  int head_dim, value_dim;
  int query_tiles;                // blocks that share a head of a sequence
  int window_left, window_right;  // keys beside a query's own that it sees, -1: all
  int top_left;                   // 1: the first query's own key is the first; 0: the last query's is the last
  float scale;
  float softcap;  // 0: none
  long long q_batch, q_token, q_head;
  long long k_batch, k_token, k_head;
  long long v_batch, v_token, v_head;
  long long out_batch, out_token, out_head;
  long long lse_batch, lse_head;
};

// Those of the backward: of `forward`, strides of out are those of dout, and those of lse are those of delta too.
struct AttentionBackwardArguments {
  AttentionArguments forward;
  int key_tiles;          // blocks that share a head of k and v of a sequence
  unsigned query_blocks;  // the grid's blocks for dq; those for dk and dv come behind them
  long long dq_batch, dq_token, dq_head;
  long long dk_batch, dk_token, dk_head;
  long long dv_batch, dv_token, dv_head;
};
