// CUDA C++ as far as our rotary kernels need it, for the host compiler: a kernel is a function that is called once for
// each thread, with blockIdx and threadIdx set before.
#pragma once
#include <cmath>

#include "lib/base/half.h"

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct HostIndex {
  unsigned x = 0, y = 0, z = 0;
};
inline thread_local HostIndex blockIdx, threadIdx, blockDim, gridDim;

struct __half {
  ropewalk::u16 bits;
};
inline float __half2float(__half value) { return ropewalk::f16_to_f32(value.bits); }
inline __half __float2half_rn(float value) { return {ropewalk::f32_to_f16(value)}; }
