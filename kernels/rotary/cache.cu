// The cos and sin cache of a rotary embedding.
//
//   w[r] = theta^(-2 r / width), or as given            r in [0, pairs), pairs = width / 2
//   cos[p, r] = cos(p w[r]), sin[p, r] = sin(p w[r])    p in [0, rows)
//
// cos, sin [rows, pairs] in the dtype that the entry's name says; frequencies f32 [pairs], or null: from theta. The
// angle is a product in f32; sincosf is right over the whole range (2 units in the last place, CUDA C++ Programming
// Guide, "Mathematical Functions"), so the error grows with the position and by nothing else.
//
// Grid (row tiles), block (lanes, rows): threadIdx.x runs over pairs, threadIdx.y over the rows of the tile.
#include "kernels/include/element.cuh"
#include "kernels/include/ropewalk_index.cuh"
#include "kernels/rotary/angle.cuh"

template <class C>
__device__ __forceinline__ void rotary_cache(C* cosine, C* sine, const float* frequencies, int rows, int width,
                                             double log2_theta) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int pairs = width / 2;
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    RW_INDEX(row, rows, "cos.rows");
    RW_INDEX(pair, pairs, "cos.pairs");
    const float frequency = frequencies ? frequencies[pair] : inverse_frequency(pair, width, log2_theta);
    float s, c;
    sincosf(rotary_angle(static_cast<int>(row), frequency), &s, &c);
    cosine[row * pairs + pair] = from_float<C>(c);
    sine[row * pairs + pair] = from_float<C>(s);
  }
}

#define ROTARY_CACHE(name, C)                                                                      \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(C* cosine, C* sine, const float* frequencies, int rows, int width, double log2_theta) { \
    rotary_cache<C>(cosine, sine, frequencies, rows, width, log2_theta);                           \
  }

ROTARY_CACHE(rotary_cache_f32, float)
ROTARY_CACHE(rotary_cache_f16, __half)
ROTARY_CACHE(rotary_cache_bf16, __nv_bfloat16)
