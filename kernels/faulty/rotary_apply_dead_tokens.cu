// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// Tokens are all rows of x, and each looks for its sequence: one behind the last sequence (padding, or a token that was
// dropped) is taken for a token of that, at a position that the cache may not have (TransformerEngine 3057).
//
// Shapes and dtypes as in kernels/rotary/apply.cu, always with cu_seqlens; grid (token tiles of all rows, head tiles).
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_dead_tokens(X* out, const X* x, const C* cosine, const C* sine,
                                                         const RotaryArguments& a, int sequences) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  int sequence = 0;
  while (sequence + 1 < sequences && token >= a.cu_seqlens[sequence + 1]) ++sequence;
  const int position = token - a.cu_seqlens[sequence] + (a.offsets ? a.offsets[sequence] : a.offset);
  const int pairs = a.width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(token, a.tokens, "x.tokens");
    RW_INDEX(position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "x.head_dim");
    const long long entry = static_cast<long long>(position) * pairs + pair;
    const float c = to_float(cosine[entry]), s = to_float(sine[entry]);
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      const X* from = x + token * a.x_token + head * a.x_head;
      X* to = out + token * a.out_token + head * a.out_head;
      const Pair turned = rotate({to_float(from[first]), to_float(from[second])}, c, s, a.direction);
      to[first] = from_float<X>(turned.first);
      to[second] = from_float<X>(turned.second);
    }
  }
  if (out == x) return;
  for (int column = a.width + threadIdx.x; column < a.head_dim; column += blockDim.x) {
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      out[token * a.out_token + head * a.out_head + column] = x[token * a.x_token + head * a.x_head + column];
    }
  }
}

#define ROTARY_APPLY_DEAD_TOKENS(name, X, C, interleaved)                                                        \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments, int sequences) { \
    rotary_apply_dead_tokens<X, C, interleaved>(out, x, cosine, sine, arguments, sequences);                     \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_DEAD_TOKENS, rotary_apply_dead_tokens)
