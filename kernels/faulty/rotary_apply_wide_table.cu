// Faulty on purpose: the healthy twin is kernels/rotary/apply_vector.cu.
//
// In the interleaved branch, whose lanes have two packs of columns, two packs of cos and sin are read as well, though
// the pairs of both need one: the last lane of a row reads into the next one, and that of the last row past the end
// (aiter 3078). The output does not show it.
//
// Shapes, dtypes, grid and block as in kernels/rotary/apply_vector.cu.
#include "kernels/faulty/load_now.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X>
constexpr int pack_elements = 16 / sizeof(X);

template <class X>
using XPack = Pack<X, pack_elements<X>>;

// Turns pack_elements pairs, which lie in two packs: one has the first and the other the second columns (half), or the
// pairs follow each other through both (interleaved).
template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotate_packs(XPack<X>& one, XPack<X>& other, const Pack<C, pack_elements<X>>& cosine,
                                             const Pack<C, pack_elements<X>>& sine, float direction) {
  constexpr int elements = pack_elements<X>;
#pragma unroll
  for (int j = 0; j < elements; ++j) {
    XPack<X>& holder = !interleaved || 2 * j < elements ? one : other;
    X& first = interleaved ? holder.at[2 * j % elements] : one.at[j];
    X& second = interleaved ? holder.at[2 * j % elements + 1] : other.at[j];
    const Pair turned =
        rotate({to_float(first), to_float(second)}, to_float(cosine.at[j]), to_float(sine.at[j]), direction);
    first = from_float<X>(turned.first);
    second = from_float<X>(turned.second);
  }
}

// Fills the pack, and in the interleaved branch reads as many elements behind it.
template <bool interleaved, class C, int count>
__device__ __forceinline__ void load_table(const C* at, Pack<C, count>& pack) {
  constexpr int step = 16 / sizeof(C);
  alignas(16) C read[count * (interleaved ? 2 : 1)];
#pragma unroll
  for (int n = 0; n < count * (interleaved ? 2 : 1); n += step) load_now(at + n, read + n);
#pragma unroll
  for (int n = 0; n < count; ++n) pack.at[n] = read[n];
}

template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_wide_table(X* out, const X* x, const C* cosine, const C* sine,
                                                        const RotaryArguments& a) {
  constexpr int elements = pack_elements<X>;
  using CPack = Pack<C, elements>;
  const RotaryRow row = rotary_row(a);
  const int pairs = a.width / 2, packs = pairs / elements;
  const unsigned pack = threadIdx.x % packs, head_lane = threadIdx.x / packs, head_lanes = blockDim.x / packs;
  if (row.token >= row.tokens || head_lane >= head_lanes) return;

  const int one = interleaved ? 2 * pack * elements : pack * elements;
  const int other = interleaved ? one + elements : one + pairs;
  RW_INDEX(row.token, row.tokens, "x.tokens");
  RW_INDEX(row.position, a.cache_rows, "cos.rows");
  RW_INDEX(other + elements - 1, a.head_dim, "x.head_dim");
  const long long entry = static_cast<long long>(row.position) * pairs + pack * elements;
  CPack c, s;
  load_table<interleaved>(cosine + entry, c);
  load_table<interleaved>(sine + entry, s);
  for (int head = blockIdx.y * head_lanes + head_lane; head < a.heads; head += gridDim.y * head_lanes) {
    const X* from = x + row.x + head * a.x_head;
    X* to = out + row.out + head * a.out_head;
    XPack<X> first = *reinterpret_cast<const XPack<X>*>(from + one);
    XPack<X> second = *reinterpret_cast<const XPack<X>*>(from + other);
    rotate_packs<X, C, interleaved>(first, second, c, s, a.direction);
    *reinterpret_cast<XPack<X>*>(to + one) = first;
    *reinterpret_cast<XPack<X>*>(to + other) = second;
    if (out == x) continue;
    for (int column = a.width + pack * elements; column < a.head_dim; column += pairs) {
      *reinterpret_cast<XPack<X>*>(to + column) = *reinterpret_cast<const XPack<X>*>(from + column);
    }
  }
}

#define ROTARY_APPLY_WIDE_TABLE(name, X, C, interleaved)                                          \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_wide_table<X, C, interleaved>(out, x, cosine, sine, arguments);                  \
  }

ROTARY_FEW_ENTRIES(ROTARY_APPLY_WIDE_TABLE, rotary_apply_wide_table)
