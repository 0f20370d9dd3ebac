// The arguments that the ring attention kernels take by value, laid out alike by nvcc and by the host compiler.
//
// Tensors of the ranks by number; those of ranks that do not exist are null. What is written stands apart from what is
// read.
#pragma once
#include "kernels/attention/arguments.h"

constexpr int most_ranks = 8;

struct RingOutputs {
  void* out[most_ranks];
  float* lse[most_ranks];
};

struct RingInputs {
  const void* q[most_ranks];
  const void* k[most_ranks];
  const void* v[most_ranks];
};

// Parts are of one shape and have the same strides: those of `forward`, whose queries and keys, and entries of
// cu_seqlens, are of the tokens of one rank.
struct RingArguments {
  AttentionArguments forward;
  int ranks;
  int zigzag;  // 1: rank r has chunks r and 2 ranks - 1 - r of 2 ranks; 0: chunk r of `ranks`
};

struct RingGradients {
  void* dq[most_ranks];
  void* dk[most_ranks];
  void* dv[most_ranks];
};

struct RingBackwardInputs {
  const void* q[most_ranks];
  const void* k[most_ranks];
  const void* v[most_ranks];
  const void* dout[most_ranks];
  const float* lse[most_ranks];
  const float* delta[most_ranks];
};

struct RingBackwardArguments {
  AttentionBackwardArguments backward;
  int ranks;
  int zigzag;
};
