// The rotary embedding of kernels/rotary/apply_vector.cu, for one set of rules by which it reads a problem. A seeded
// bug is these rules with one of them wrong.
#pragma once
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/entries.cuh"
#include "kernels/rotary/rotate.cuh"
#include "kernels/rotary/row.cuh"

template <class X>
constexpr int pack_elements = 16 / sizeof(X);

template <class X>
using XPack = Pack<X, pack_elements<X>>;

// Rotates pack_elements pairs, which lie in two packs: one has the first and the other the second columns (half), or
// the pairs follow each other through both (interleaved).
template <class X, class C, bool interleaved>
__device__ __forceinline__ void rotate_packs(XPack<X>& one, XPack<X>& other, const Pack<C, pack_elements<X>>& cosine,
                                             const Pack<C, pack_elements<X>>& sine, float direction) {
  constexpr int elements = pack_elements<X>;
#pragma unroll
  for (int j = 0; j < elements; ++j) {
    XPack<X>& holder = !interleaved || 2 * j < elements ? one : other;
    X& first = interleaved ? holder.at[2 * j % elements] : one.at[j];
    X& second = interleaved ? holder.at[2 * j % elements + 1] : other.at[j];
    const Pair rotated =
        rotate({to_float(first), to_float(second)}, to_float(cosine.at[j]), to_float(sine.at[j]), direction);
    first = from_float<X>(rotated.first);
    second = from_float<X>(rotated.second);
  }
}

struct VectorRules {
  template <bool interleaved, class C, int count>
  static __device__ __forceinline__ Pack<C, count> load_table(const C* at) {
    return *reinterpret_cast<const Pack<C, count>*>(at);
  }
};

template <class Rules, class X, class C, bool interleaved>
__device__ __forceinline__ void rotary_apply_vector(X* out, const X* x, const C* cosine, const C* sine,
                                                    const RotaryArguments& a) {
  constexpr int elements = pack_elements<X>;
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
  const auto c = Rules::template load_table<interleaved, C, elements>(cosine + entry);
  const auto s = Rules::template load_table<interleaved, C, elements>(sine + entry);
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

#define ROTARY_APPLY_VECTOR(name, Rules, X, C, interleaved)                                       \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      name(X* out, const X* x, const C* cosine, const C* sine, const RotaryArguments arguments) { \
    rotary_apply_vector<Rules, X, C, interleaved>(out, x, cosine, sine, arguments);               \
  }
