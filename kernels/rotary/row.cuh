// Where a thread of the apply kernels finds its token.
#pragma once
#include "kernels/rotary/arguments.h"

struct RotaryRow {
  int token, tokens;  // of the sequence; a token from `tokens` on is none
  int position;       // row of cos and sin
  long long x, out;   // elements from the tensors' starts to the first head of the token
};

// blockIdx.x counts token tiles within sequences; threadIdx.y is the token of the tile.
__device__ __forceinline__ RotaryRow rotary_row(const RotaryArguments& a) {
  const int sequence = blockIdx.x / a.token_tiles;
  const int token = (blockIdx.x % a.token_tiles) * blockDim.y + threadIdx.y;
  long long x_start = sequence * a.x_batch, out_start = sequence * a.out_batch;
  int tokens = a.tokens;
  if (a.cu_seqlens) {
    const int first = a.cu_seqlens[sequence];
    tokens = a.cu_seqlens[sequence + 1] - first;
    x_start = first * a.x_token;
    out_start = first * a.out_token;
  }
  RotaryRow row;
  row.token = token;
  row.tokens = tokens;
  row.position = token + (a.offsets ? a.offsets[sequence] : a.offset);
  row.x = x_start + token * a.x_token;
  row.out = out_start + token * a.out_token;
  return row;
}
