// An element of 8 bits, 4 of them the exponent (e4m3), and the conversion to it.
#pragma once
#include <cuda_fp8.h>

// Rounded to nearest even; beyond 448 it is 448, or with saturate = false NaN.
template <bool saturate = true>
__device__ __forceinline__ __nv_fp8_storage_t to_e4m3(float value) {
  return __nv_cvt_float_to_fp8(value, saturate ? __NV_SATFINITE : __NV_NOSAT, __NV_E4M3);
}
