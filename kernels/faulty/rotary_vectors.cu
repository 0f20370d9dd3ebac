// Faulty on purpose: what is read as a vector. The correct counterpart is kernels/rotary/apply_vector.cu, from which
// each entry differs by one rule.
#include "kernels/faulty/load_now.cuh"
#include "kernels/rotary/apply_vector.cuh"

// In the interleaved branch, whose lanes have two packs of columns, two packs of cos and sin are read as well, though
// the pairs of both need one: the last lane of a row reads into the next one, and that of the last row past the end
// (aiter 3078). The output does not show it.
struct WideTable {
  template <bool interleaved, class C, int count>
  static __device__ __forceinline__ Pack<C, count> load_table(const C* at) {
    constexpr int step = 16 / sizeof(C), all = count * (interleaved ? 2 : 1);
    alignas(16) C read[all];
    Pack<C, count> pack;
#pragma unroll
    for (int n = 0; n < all; n += step) load_now(at + n, read + n);
#pragma unroll
    for (int n = 0; n < count; ++n) pack.at[n] = read[n];
    return pack;
  }
};
ROTARY_FEW_ENTRIES(ROTARY_APPLY_VECTOR, rotary_apply_wide_table, WideTable)
