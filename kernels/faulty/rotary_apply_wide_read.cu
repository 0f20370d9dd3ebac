// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// A row is read by whole warps, whatever its width, and only stores are masked: where the pairs are no multiple of 32,
// the reads of the last row run past the end of x (vLLM 40745, 42421: a head of 64 bytes or less; it faults only where
// a mapping ends there). The output does not show it.
//
// Shapes, dtypes, grid and block as in kernels/rotary/apply.cu.
#include "kernels/faulty/load_now.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_wide_read(X* out, const X* x, const C* cosine, const C* sine,
                                                       const RotaryArguments& a) {
  const RotaryRow row = rotary_row(a);
  if (row.token >= row.tokens) return;
  const int pairs = a.width / 2;
  for (int begin = 0; begin < pairs; begin += blockDim.x) {
    const int pair = begin + threadIdx.x, known = min(pair, pairs - 1);
    const int first = first_column<interleaved>(pair), second = second_column<interleaved>(pair, pairs);
    RW_INDEX(row.token, row.tokens, "x.tokens");
    RW_INDEX(row.position, a.cache_rows, "cos.rows");
    const long long entry = static_cast<long long>(row.position) * pairs + known;
    const float c = to_float(cosine[entry]), s = to_float(sine[entry]);
    for (int head = blockIdx.y; head < a.heads; head += gridDim.y) {
      const X* from = x + row.x + head * a.x_head;
      X* to = out + row.out + head * a.out_head;
      const Pair turned =
          rotate({to_float(load_now(from + first)), to_float(load_now(from + second))}, c, s, a.direction);
      if (pair >= pairs) continue;
      RW_INDEX(second, a.head_dim, "x.head_dim");
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

#define ROTARY_APPLY_WIDE_READ(name, X, C, interleaved)                                           \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_wide_read<X, C, interleaved>(out, x, cosine, sine, arguments);                   \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_WIDE_READ, rotary_apply_wide_read)
