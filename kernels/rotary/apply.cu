// Rotary embedding of any shape and strides: each token's rows are rotated by the angles of the token's position.
//
//   half:         pairs of columns (r, r + pairs), pairs = width / 2, r in [0, pairs)
//   interleaved:  pairs of columns (2 r, 2 r + 1)
//   out[first]  = x[first] cos[p, r] - x[second] sin[p, r]       p = offset of the sequence + token
//   out[second] = x[first] sin[p, r] + x[second] cos[p, r]
//   out[c] = x[c] for c in [width, head_dim); in place nothing is done to them
//
// x, out [B, T, H, D], or [rows, H, D] with cu_seqlens; cos, sin [cache_rows, pairs]; an entry's name says the dtype of
// x and out, then of cos and sin. In place where out is x. Backward: direction -1, x is the gradient of out.
//
// Grid (sequences x token tiles, head tiles), block (lanes, tokens): threadIdx.x runs over pairs, threadIdx.y over the
// tokens of the tile; a thread keeps its cos and sin for every gridDim.y-th head.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply(X* out, const X* x, const C* cosine, const C* sine,
                                             const RotaryArguments& a) {
  const RotaryRow row = rotary_row(a);
  if (row.token >= row.tokens) return;
  const int pairs = a.width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(row.token, row.tokens, "x.tokens");
    RW_INDEX(row.position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "x.head_dim");
    const long long entry = static_cast<long long>(row.position) * pairs + pair;
    const float c = to_float(cosine[entry]), s = to_float(sine[entry]);
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      const X* from = x + row.x + head * a.x_head;
      X* to = out + row.out + head * a.out_head;
      const Pair turned = rotate({to_float(from[first]), to_float(from[second])}, c, s, a.direction);
      to[first] = from_float<X>(turned.first);
      to[second] = from_float<X>(turned.second);
    }
  }
  if (out == x) return;
  for (int column = a.width + threadIdx.x; column < a.head_dim; column += blockDim.x) {
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      out[row.out + head * a.out_head + column] = x[row.x + head * a.x_head + column];
    }
  }
}

#define ROTARY_APPLY(name, X, C, interleaved)                                                     \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply<X, C, interleaved>(out, x, cosine, sine, arguments);                             \
  }

ROTARY_ENTRIES(ROTARY_APPLY, rotary_apply)
