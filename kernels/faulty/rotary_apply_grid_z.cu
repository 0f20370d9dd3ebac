// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// Sequences go along z of the grid, which ends at 65,535: a larger batch cannot be launched, and where nobody reads the
// error code nothing is written (flash-linear-attention 172, vLLM 43684). Sequences of cu_seqlens are not known here.
//
// Shapes, dtypes and block as in kernels/rotary/apply.cu; grid (token tiles, head tiles, sequences).
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_grid_z(X* out, const X* x, const C* cosine, const C* sine,
                                                    const RotaryArguments& a) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y, sequence = blockIdx.z;
  if (token >= a.tokens) return;
  const int position = token + (a.offsets ? a.offsets[sequence] : a.offset);
  x += sequence * a.x_batch + token * a.x_token;
  out += sequence * a.out_batch + token * a.out_token;
  const int pairs = a.width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(token, a.tokens, "x.tokens");
    RW_INDEX(position, a.cache_rows, "cos.rows");
    RW_INDEX(second, a.head_dim, "x.head_dim");
    const long long entry = static_cast<long long>(position) * pairs + pair;
    const float c = to_float(cosine[entry]), s = to_float(sine[entry]);
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      const X* from = x + head * a.x_head;
      X* to = out + head * a.out_head;
      const Pair turned = rotate({to_float(from[first]), to_float(from[second])}, c, s, a.direction);
      to[first] = from_float<X>(turned.first);
      to[second] = from_float<X>(turned.second);
    }
  }
  if (out == x) return;
  for (int column = a.width + threadIdx.x; column < a.head_dim; column += blockDim.x) {
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      out[head * a.out_head + column] = x[head * a.x_head + column];
    }
  }
}

#define ROTARY_APPLY_GRID_Z(name, X, C, interleaved)                                              \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_grid_z<X, C, interleaved>(out, x, cosine, sine, arguments);                      \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_GRID_Z, rotary_apply_grid_z)
