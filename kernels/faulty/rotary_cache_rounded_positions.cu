// Faulty on purpose: the healthy twin is kernels/rotary/cache.cu.
//
// Positions go through bf16 on their way to the angle: above 256 neighbours share a row (candle pull request 3520).
//
// Shapes, dtypes, grid and block as in kernels/rotary/cache.cu.
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/angle.cuh"

template <class C>
__device__ __forceinline__ void rotary_cache_rounded_positions(C* cosine, C* sine, const float* frequencies, int rows,
                                                               int width, double log2_theta) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int pairs = width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    RW_INDEX(row, rows, "cos.rows");
    RW_INDEX(pair, pairs, "cos.pairs");
    const float frequency = frequencies ? frequencies[pair] : inverse_frequency(pair, width, log2_theta);
    float s, c;
    const float position = to_float(from_float<__nv_bfloat16>(static_cast<float>(row)));
    sincosf(position * frequency, &s, &c);
    cosine[row * pairs + pair] = from_float<C>(c);
    sine[row * pairs + pair] = from_float<C>(s);
  }
}

#define ROTARY_CACHE_ROUNDED_POSITIONS(name, C)                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(C* cosine, C* sine, const float* frequencies, int rows, int width, double log2_theta) { \
    rotary_cache_rounded_positions<C>(cosine, sine, frequencies, rows, width, log2_theta);         \
  }

ROTARY_CACHE_ROUNDED_POSITIONS(rotary_cache_rounded_positions_f32, float)
ROTARY_CACHE_ROUNDED_POSITIONS(rotary_cache_rounded_positions_f16, __half)
ROTARY_CACHE_ROUNDED_POSITIONS(rotary_cache_rounded_positions_bf16, __nv_bfloat16)
