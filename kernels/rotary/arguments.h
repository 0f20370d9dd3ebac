// The arguments that the rotary kernels take by value, laid out alike by nvcc and by the host compiler.
#pragma once

// Of the apply kernels. Strides in elements; the last dimension has stride 1.
struct RotaryArguments {
  const int* offsets;     // [sequences], or null: `offset` for all
  const int* cu_seqlens;  // [sequences + 1], or null: every sequence has `tokens` rows
  int tokens;             // of one sequence; with cu_seqlens of the longest
  int heads;
  int head_dim;
  int width;  // columns that are rotated
  int cache_rows;
  int offset;       // position of a sequence's first token
  int token_tiles;  // blocks that share a sequence
  float direction;  // 1 forward, -1 backward
  long long x_batch, x_token, x_head;
  long long out_batch, out_token, out_head;
};

// Of the kernels that turn q and k in place. Strides in elements.
struct RotaryQkArguments {
  const long long* positions;  // [tokens]
  int tokens;
  int query_heads, key_heads;
  int head_dim;
  int width;
  int cache_rows;
  float direction;
  long long q_token, q_head;
  long long k_token, k_head;
};
