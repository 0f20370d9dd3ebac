// Faulty on purpose: the healthy twin is kernels/rotary/qk.cu, and the fault is in what nobody asks.
//
// Positions are believed: one past the rows of cos and sin reads behind them, a negative one before them (vLLM 14404,
// sglang 10788). A width over head_dim runs into the next head, and an odd width has a pair more than its half.
//
// Shapes, dtypes, grid and block as in kernels/rotary/qk.cu.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_qk_unguarded(X* q, X* k, const C* cosine, const C* sine,
                                                    const RotaryQkArguments& a) {
  const long long token = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  const long long position = a.positions[token];
  const int pairs = (a.width + 1) / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "q.head_dim");
    const float c = to_float(cosine[position * pairs + pair]), s = to_float(sine[position * pairs + pair]);
    for (int head = blockIdx.y; head < a.query_heads + a.key_heads; head += gridDim.y) {
      X* row = head < a.query_heads ? q + token * a.q_token + head * a.q_head
                                    : k + token * a.k_token + (head - a.query_heads) * a.k_head;
      const Pair turned = rotate({to_float(row[first]), to_float(row[second])}, c, s, a.direction);
      row[first] = from_float<X>(turned.first);
      row[second] = from_float<X>(turned.second);
    }
  }
}

#define ROTARY_QK_UNGUARDED(name, X, C, interleaved)                                        \
  extern "C" __global__ void __launch_bounds__(256)                                         \
      name(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments arguments) { \
    rotary_qk_unguarded<X, C, interleaved>(q, k, cosine, sine, arguments);                  \
  }

ROTARY_ENTRIES(ROTARY_QK_UNGUARDED, rotary_qk_unguarded)
