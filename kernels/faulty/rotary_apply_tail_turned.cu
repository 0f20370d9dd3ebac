// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// Lanes run to the next power of two of the pairs. cos and sin are masked (0 where there is none), and the columns of
// neighbouring pairs only by head_dim: of a width of 6, columns 6 and 7 are turned as well, and become 0
// (sglang 35096). The half layout is not touched by it.
//
// Shapes, dtypes, grid and block as in kernels/rotary/apply.cu.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

__device__ __forceinline__ int next_power_of_two(int value) {
  int power = 1;
  while (power < value) power *= 2;
  return power;
}

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_tail_turned(X* out, const X* x, const C* cosine, const C* sine,
                                                         const RotaryArguments& a) {
  const RotaryRow row = rotary_row(a);
  if (row.token >= row.tokens) return;
  const int pairs = a.width / 2;
  const int padded = interleaved ? next_power_of_two(pairs) : pairs;
  for (int pair = threadIdx.x; pair < padded; pair += blockDim.x) {
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(row.token, row.tokens, "x.tokens");
    RW_INDEX(row.position, a.cache_rows, "cos.rows");
    if (second >= a.head_dim) continue;
    RW_INDEX(second, a.head_dim, "x.head_dim");
    const long long entry = static_cast<long long>(row.position) * pairs + pair;
    const float c = pair < pairs ? to_float(cosine[entry]) : 0, s = pair < pairs ? to_float(sine[entry]) : 0;
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

#define ROTARY_APPLY_TAIL_TURNED(name, X, C, interleaved)                                         \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_tail_turned<X, C, interleaved>(out, x, cosine, sine, arguments);                 \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_TAIL_TURNED, rotary_apply_tail_turned)
