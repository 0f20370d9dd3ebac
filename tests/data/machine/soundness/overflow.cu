// 32-bit numbers that wrap and go to where they become an address by way of memory or another lane.
#include "tests/data/machine/soundness/pair.h"

// 2^32 and 2 more: 3 times a third of it, of a number that no compiler knows.
static __device__ __forceinline__ int two_after_wrapping(const int* in) { return in[3] * 1431655766; }

// overflow_through_shared: grid 2 block 64; finds index-overflow
PAIR(overflow_through_shared) {
  __shared__ int start;
  if (threadIdx.x == 0) start = two_after_wrapping(in);
  __syncthreads();
  out[(wrong ? start : start & 63) + blockIdx.x * n + threadIdx.x] = 1;
}

// overflow_through_shared_of_each: grid 2 block 64; finds index-overflow
PAIR(overflow_through_shared_of_each) {
  __shared__ int starts[64];
  starts[threadIdx.x] = wrong ? two_after_wrapping(in) + int(threadIdx.x) : two_after_wrapping(in) % 1024 + int(threadIdx.x);
  __syncthreads();
  const int other = starts[63 - threadIdx.x];
  out[2048 + other + blockIdx.x * n] = wrong ? 1 : other;
}

// overflow_of_offset_through_shared: grid 1 block 64; finds index-overflow
PAIR(overflow_of_offset_through_shared) {
  __shared__ long long start;
  if (threadIdx.x == 0) start = wrong ? (long long)two_after_wrapping(in) : (long long)in[3] * 2;
  __syncthreads();
  out[start + threadIdx.x] = 1;
}

// overflow_through_shuffle: grid 2 block 64; finds index-overflow
PAIR(overflow_through_shuffle) {
  int start = 0;
  if (threadIdx.x % 32 == 0) start = two_after_wrapping(in);
  start = __shfl_sync(0xffffffffu, start, 0);
  out[(wrong ? start : start & 63) + blockIdx.x * n + threadIdx.x] = 1;
}

// overflow_through_local: grid 2 block 64; finds index-overflow
PAIR(overflow_through_local) {
  int starts[8];
  for (int i = 0; i < 8; ++i) starts[i] = two_after_wrapping(in) + i;
  const int start = starts[in[threadIdx.x] % 8];
  out[(wrong ? start : start & 63) + blockIdx.x * n + threadIdx.x] = 1;
}

// overflow_that_is_overwritten: grid 1 block 64; finds index-overflow
PAIR(overflow_that_is_overwritten) {
  __shared__ int start;
  if (threadIdx.x == 0) start = two_after_wrapping(in);
  __syncthreads();
  if (threadIdx.x == 0 && !wrong) start = in[5];
  __syncthreads();
  out[start + threadIdx.x] = 1;
}
