// The rotary embedding of kernels/rotary/qk.cu, for one set of rules by which it reads a problem. A seeded bug is these
// rules with one of them wrong.
#pragma once
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"

struct QkRules {
  static __device__ __forceinline__ int pairs_of(const RotaryQkArguments& a) { return a.width / 2; }
  static __device__ __forceinline__ int heads_of(const RotaryQkArguments& a) { return a.query_heads + a.key_heads; }
  static __device__ __forceinline__ long long key_head_stride(const RotaryQkArguments& a) { return a.k_head; }
};

template <class Rules, class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_qk(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments& a) {
  const long long token = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  const long long position = a.positions[token];
  const int pairs = Rules::pairs_of(a);
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "q.head_dim");
    const float c = to_float(cosine[position * pairs + pair]), s = to_float(sine[position * pairs + pair]);
    for (int head = blockIdx.y; head < Rules::heads_of(a); head += gridDim.y) {
      X* row = head < a.query_heads ? q + token * a.q_token + head * a.q_head
                                    : k + token * a.k_token + (head - a.query_heads) * Rules::key_head_stride(a);
      const Pair rotated = rotate({to_float(row[first]), to_float(row[second])}, c, s, a.direction);
      row[first] = from_float<X>(rotated.first);
      row[second] = from_float<X>(rotated.second);
    }
  }
}

#define ROTARY_QK(name, Rules, X, C, interleaved)                                           \
  extern "C" __global__ void __launch_bounds__(256)                                         \
      name(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments arguments) { \
    rotary_qk<Rules, X, C, interleaved>(q, k, cosine, sine, arguments);                     \
  }
