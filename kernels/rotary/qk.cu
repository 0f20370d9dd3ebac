// Rotary embedding of q and k together, in place, each token at a position of its own.
//
//   half:         pairs of columns (r, r + pairs), pairs = width / 2, r in [0, pairs)
//   interleaved:  pairs of columns (2 r, 2 r + 1)
//   (first, second) <- (first cos[p, r] - second sin[p, r], first sin[p, r] + second cos[p, r]),  p = positions[token]
//
// q [tokens, query_heads, D], k [tokens, key_heads, D] with strides of their own (k may be a slice of a packed qkv, or
// have one head where q has many); positions int64 [tokens]; cos, sin [cache_rows, pairs]. An entry's name says the
// dtype of q and k, then of cos and sin. Columns from width on are left alone. Backward: direction -1.
//
// Grid (token tiles, head tiles), block (lanes, tokens): threadIdx.x runs over pairs, threadIdx.y over tokens; heads
// are counted through q first, then k.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_qk(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments& a) {
  const long long token = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  const long long position = a.positions[token];
  const int pairs = a.width / 2;
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

#define ROTARY_QK(name, X, C, interleaved)                                                  \
  extern "C" __global__ void __launch_bounds__(256)                                         \
      name(X* q, X* k, const C* cosine, const C* sine, const RotaryQkArguments arguments) { \
    rotary_qk<X, C, interleaved>(q, k, cosine, sine, arguments);                            \
  }

ROTARY_ENTRIES(ROTARY_QK, rotary_qk)
