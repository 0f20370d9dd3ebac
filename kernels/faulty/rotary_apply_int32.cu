// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// The place of a sequence is a product of ints: sequence x batch stride wraps in tensors of more than 2^31 elements
// (flash-attention 1195: [7200, 90, 3, 16, 72] from sequence 6,905 on).
//
// Shapes, dtypes, grid and block as in kernels/rotary/apply.cu.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_int32(X* out, const X* x, const C* cosine, const C* sine,
                                                   const RotaryArguments& a) {
  const int sequence = blockIdx.x / a.token_tiles;
  const int token = (blockIdx.x % a.token_tiles) * blockDim.y + threadIdx.y;
  if (token >= a.tokens) return;
  const int x_batch = a.x_batch, x_token = a.x_token, x_head = a.x_head;
  const int out_batch = a.out_batch, out_token = a.out_token, out_head = a.out_head;
  const int position = token + (a.offsets ? a.offsets[sequence] : a.offset);
  const int pairs = a.width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(second, a.head_dim, "x.head_dim");
    const float c = to_float(cosine[position * pairs + pair]), s = to_float(sine[position * pairs + pair]);
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      const X* from = x + (sequence * x_batch + token * x_token + head * x_head);
      X* to = out + (sequence * out_batch + token * out_token + head * out_head);
      const Pair turned = rotate({to_float(from[first]), to_float(from[second])}, c, s, a.direction);
      to[first] = from_float<X>(turned.first);
      to[second] = from_float<X>(turned.second);
    }
  }
  if (out == x) return;
  for (int column = a.width + threadIdx.x; column < a.head_dim; column += blockDim.x) {
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      out[sequence * out_batch + token * out_token + head * out_head + column] =
          x[sequence * x_batch + token * x_token + head * x_head + column];
    }
  }
}

#define ROTARY_APPLY_INT32(name, X, C, interleaved)                                               \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_int32<X, C, interleaved>(out, x, cosine, sine, arguments);                       \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_INT32, rotary_apply_int32)
