// Faulty on purpose: the healthy twin is kernels/rotary/cache.cu, and the fault is in what nobody asks.
//
// An odd width is taken. Its half is rounded up here and down where the table was allocated, so each row runs one
// column into the next, and the last row past the end (flash-linear-attention 1177: dim 33).
//
// Shapes, dtypes, grid and block as in kernels/rotary/cache.cu, but for the odd width.
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/angle.cuh"

template <class C>
__device__ __forceinline__ void rotary_cache_unguarded(C* cosine, C* sine, const float* frequencies, int rows,
                                                       int width, double log2_theta) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int pairs = (width + 1) / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    RW_INDEX(row, rows, "cos.rows");
    RW_INDEX(pair, width / 2, "cos.pairs");
    const float frequency = frequencies ? frequencies[pair] : inverse_frequency(pair, width, log2_theta);
    float s, c;
    sincosf(rotary_angle(static_cast<int>(row), frequency), &s, &c);
    cosine[row * pairs + pair] = from_float<C>(c);
    sine[row * pairs + pair] = from_float<C>(s);
  }
}

#define ROTARY_CACHE_UNGUARDED(name, C)                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(C* cosine, C* sine, const float* frequencies, int rows, int width, double log2_theta) { \
    rotary_cache_unguarded<C>(cosine, sine, frequencies, rows, width, log2_theta);                 \
  }

ROTARY_CACHE_UNGUARDED(rotary_cache_unguarded_f32, float)
ROTARY_CACHE_UNGUARDED(rotary_cache_unguarded_f16, __half)
ROTARY_CACHE_UNGUARDED(rotary_cache_unguarded_bf16, __nv_bfloat16)
