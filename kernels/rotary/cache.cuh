// The cos and sin cache of kernels/rotary/cache.cu, for one set of rules by which it is computed. A seeded bug is these
// rules with one of them wrong.
#pragma once
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/angle.cuh"

struct CacheRules {
  static __device__ __forceinline__ int pairs_of(int width) { return width / 2; }
  static __device__ __forceinline__ float angle_of(int position, float frequency) {
    return rotary_angle(position, frequency);
  }
};

template <class Rules, class C>
__device__ __forceinline__ void rotary_cache(C* cosine, C* sine, const float* frequencies, int rows, int width,
                                             double log2_theta) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int pairs = Rules::pairs_of(width);
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    RW_INDEX(row, rows, "cos.rows");
    RW_INDEX(pair, width / 2, "cos.pairs");
    const float frequency = frequencies ? frequencies[pair] : inverse_frequency(pair, width, log2_theta);
    float s, c;
    sincosf(Rules::angle_of(static_cast<int>(row), frequency), &s, &c);
    cosine[row * pairs + pair] = from_float<C>(c);
    sine[row * pairs + pair] = from_float<C>(s);
  }
}

#define ROTARY_CACHE_ENTRY(name, Rules, C)                                                         \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(C* cosine, C* sine, const float* frequencies, int rows, int width, double log2_theta) { \
    rotary_cache<Rules, C>(cosine, sine, frequencies, rows, width, log2_theta);                    \
  }

// PREFIX_f32, PREFIX_f16, PREFIX_bf16: by the dtype of cos and sin.
#define ROTARY_CACHE(prefix, Rules)               \
  ROTARY_CACHE_ENTRY(prefix##_f32, Rules, float)  \
  ROTARY_CACHE_ENTRY(prefix##_f16, Rules, __half) \
  ROTARY_CACHE_ENTRY(prefix##_bf16, Rules, __nv_bfloat16)
