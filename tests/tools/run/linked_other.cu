#include "tests/tools/run/linked.cuh"

__device__ int shift = 1;
__device__ float factors[4] = {1, 2, 3, 4};
static __device__ int calls;

__device__ __noinline__ float scaled(float x, int n) {
  atomicAdd(&calls, 1);
  return x * factors[n] + n;  // at:scaled
}

__global__ void second(float* x) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = scaled(x[threadIdx.x], shift);
  x[threadIdx.x] = plus_one(buffer[threadIdx.x]);
}

void run_second(float* x, int count) { second<<<1, count, count * sizeof(float)>>>(x); }

int calls_of_other() {
  int number = 0;
  cudaMemcpyFromSymbol(&number, calls, sizeof number);
  return number;
}
