// Loads that the compiler neither moves behind a mask nor drops, as kernels in inline assembly have them.
#pragma once
#include "kernels/include/element.cuh"

__device__ __forceinline__ float load_now(const float* at) {
  float value;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(at));
  return value;
}

__device__ __forceinline__ __nv_bfloat16 load_now(const __nv_bfloat16* at) {
  unsigned short bits;
  asm volatile("ld.global.b16 %0, [%1];" : "=h"(bits) : "l"(at));
  return __ushort_as_bfloat16(bits);
}

// 16 bytes of neighbouring elements; the address is a multiple of 16.
template <class T>
__device__ __forceinline__ void load_now(const T* at, T* elements) {
  uint4 words;
  asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(at));
  *reinterpret_cast<uint4*>(elements) = words;
}
