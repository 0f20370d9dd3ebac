// A pair of kernels that differ in one thing: NAME_right and NAME_wrong. tests/lib/machine/soundness_test.cpp runs both, as
// the line above each says:
//   // NAME: grid G block B [shared BYTES]; finds RULE[ or RULE][; warns RULE | ; both RULE][; lacks WHAT[ and WHAT]]
// NAME_wrong is found, by one of the rules; NAME_right must be silent. Where the line says so,
// both may have warnings or errors of one more rule. What its races lack is a release, an acquire, or the scope of the
// device; nothing, where the line does not say so.
// `in` counts up from 0, `out` and `work` are zero, each has 4096 elements; n is the number of threads of a block.
#pragma once

#define PAIR(name)                                                                                             \
  template <bool wrong>                                                                                        \
  static __device__ __forceinline__ void name(const int* in, int* out, int* work, int n);                       \
  extern "C" __global__ void name##_right(const int* in, int* out, int* work, int n) { name<false>(in, out, work, n); } \
  extern "C" __global__ void name##_wrong(const int* in, int* out, int* work, int n) { name<true>(in, out, work, n); }  \
  template <bool wrong>                                                                                        \
  static __device__ __forceinline__ void name(const int* in, int* out, int* work, int n)

// For kernels whose blocks send each other messages.
static __device__ __forceinline__ int acquire(int* at) {
  int value;
  asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
static __device__ __forceinline__ void release(int* at, int value) {
  asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
