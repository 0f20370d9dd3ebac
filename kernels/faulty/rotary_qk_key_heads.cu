// Faulty on purpose: the healthy twin is kernels/rotary/qk.cu.
//
// The heads of k are taken to be as many as those of q (ColossalAI 6428, 6444): right only where they are. Where k has
// fewer, each token runs into the next, and the last past the end.
//
// Shapes, dtypes, grid and block as in kernels/rotary/qk.cu.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_qk_key_heads(X* q, X* k, const C* cosine, const C* sine,
                                                    const RotaryQkArguments& a) {
  const long long token = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  const long long position = a.positions[token];
  const int pairs = a.width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "q.head_dim");
    const float c = to_float(cosine[position * pairs + pair]), s = to_float(sine[position * pairs + pair]);
    for (int head = blockIdx.y; head < 2 * a.query_heads; head += gridDim.y) {
      X* row = head < a.query_heads ? q + token * a.q_token + head * a.q_head
                                    : k + token * a.k_token + (head - a.query_heads) * a.k_head;
      const Pair turned = rotate({to_float(row[first]), to_float(row[second])}, c, s, a.direction);
      row[first] = from_float<X>(turned.first);
      row[second] = from_float<X>(turned.second);
    }
  }
}

#define ROTARY_QK_KEY_HEADS(name, X, C, interleaved)                                        \
  extern "C" __global__ void __launch_bounds__(256)                                         \
      name(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments arguments) { \
    rotary_qk_key_heads<X, C, interleaved>(q, k, cosine, sine, arguments);                  \
  }

ROTARY_FEW_ENTRIES(ROTARY_QK_KEY_HEADS, rotary_qk_key_heads)
