// The merge kernel of kernels/attention/merge.cu, for one set of rules: those below, or others where a fault is
// seeded.
#pragma once
#include "kernels/attention/decode_arguments.h"
#include "kernels/attention/forward.cuh"

// The place of a row in what is merged, and in the parts.
struct MergeRow {
  int head;
  long long out, lse, part, part_lse;  // elements from the tensors' starts
};

struct MergeRules {
  static __device__ __forceinline__ int parts(const AttentionMergeArguments& m) { return m.splits; }
  static __device__ __forceinline__ float lse_of_part(float lse) { return lse; }
  static __device__ __forceinline__ float subtrahend(float largest) { return AttentionRules::subtrahend(largest); }
  static __device__ __forceinline__ float weight_of(float lse, float from) { return expf(lse - from); }
  // A part without weight is not looked at, whatever it holds.
  static __device__ __forceinline__ bool counts(float weight) { return weight > 0.0f; }
  static __device__ __forceinline__ float share_of(float sum) { return sum > 0.0f ? 1.0f / sum : 0.0f; }
  static __device__ __forceinline__ float lse_of(float from, float sum) {
    return sum > 0.0f ? from + logf(sum) : -INFINITY;
  }
};

__device__ __forceinline__ MergeRow merge_row(const AttentionMergeArguments& m, long long row) {
  MergeRow at;
  at.head = static_cast<int>(row % m.heads);
  const long long token = row / m.heads, query = token % m.queries, sequence = token / m.queries;
  at.out = sequence * m.out_batch + query * m.out_token + at.head * m.out_head;
  at.lse = sequence * m.lse_batch + at.head * m.lse_head + query;
  at.part = sequence * m.part_batch + query * m.part_token + at.head * m.part_head;
  at.part_lse = at.lse;
  return at;
}

// A warp has a row: its lanes are the parts, then columns of out.
template <class Rules, class T, int chunks>
__device__ __forceinline__ void attention_merge(T* out, float* lse, const float* out_partial, const float* lse_partial,
                                                const AttentionMergeArguments& m) {
  const long long row = static_cast<long long>(blockIdx.x) * warps + threadIdx.y;
  if (row >= m.rows) return;
  const int lane = threadIdx.x;
  const MergeRow at = merge_row(m, row);

  float largest = -INFINITY;
  for (int part = lane; part < Rules::parts(m); part += lanes) {
    largest = fmaxf(largest, Rules::lse_of_part(lse_partial[at.part_lse + part * m.lse_split]));
  }
  largest = largest_of_warp(largest);
  if (m.sinks) largest = fmaxf(largest, m.sinks[at.head]);
  const float from = Rules::subtrahend(largest);

  float sum = 0.0f, sums[2 * chunks] = {};
  for (int part = 0; part < Rules::parts(m); ++part) {
    const float weight = Rules::weight_of(Rules::lse_of_part(lse_partial[at.part_lse + part * m.lse_split]), from);
    if (!Rules::counts(weight)) continue;
    sum += weight;
    const float* const values = out_partial + at.part + part * m.part_split;
#pragma unroll
    for (int n = 0; n < 2 * chunks; ++n) {
      const int column = n * lanes + lane;
      if (column < m.value_dim) sums[n] += weight * values[column];
    }
  }
  if (m.sinks) sum += Rules::weight_of(m.sinks[at.head], from);
  store_row<T, chunks>(out + at.out, sums, Rules::share_of(sum), m.value_dim);
  if (lane == 0) lse[at.lse] = Rules::lse_of(from, sum);
}

// An entry.
#define ATTENTION_MERGE(name, Rules, T, chunks)                                       \
  extern "C" __global__ void __launch_bounds__(128)                                   \
      name(T* out, float* lse, const float* out_partial, const float* lse_partial,    \
           const AttentionMergeArguments arguments) {                                 \
    attention_merge<Rules, T, chunks>(out, lse, out_partial, lse_partial, arguments); \
  }
