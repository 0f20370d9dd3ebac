// Faulty on purpose: the healthy twin is kernels/rotary/apply.cu.
//
// Positions go on from one packed sequence to the next: those of the documents are overwritten by places in all rows
// (torchtitan 2780).
//
// Shapes, dtypes, grid and block as in kernels/rotary/apply.cu.
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_one_document(X* out, const X* x, const C* cosine, const C* sine,
                                                          const RotaryArguments& a) {
  RotaryRow row = rotary_row(a);
  if (row.token >= row.tokens) return;
  if (a.cu_seqlens) row.position += a.cu_seqlens[blockIdx.x / a.token_tiles];
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

#define ROTARY_APPLY_ONE_DOCUMENT(name, X, C, interleaved)                                        \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_one_document<X, C, interleaved>(out, x, cosine, sine, arguments);                \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_ONE_DOCUMENT, rotary_apply_one_document)
