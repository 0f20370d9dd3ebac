// A program of two sources whose device code is linked (nvcc -rdc=true); linked_other.cu is the other one.
#include <cstdio>
#include <cstring>

#include "tests/tools/run/linked.cuh"

static __device__ int calls;  // each source has one of its own

__global__ void first(float* x) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = scaled(x[threadIdx.x], shift);
  atomicAdd(&calls, 1);
  __syncthreads();
  x[threadIdx.x] = plus_one(buffer[threadIdx.x]);
}

int main(int, char** words) {
  constexpr int count = 32;
  const bool is_right = !std::strcmp(words[1], "right");
  float* x;
  cudaMalloc(&x, count * sizeof(float));
  cudaMemset(x, 0, count * sizeof(float));
  first<<<1, count, count * sizeof(float)>>>(x);
  const int by = is_right ? 2 : 8;
  cudaMemcpyToSymbol(shift, &by, sizeof by);
  run_second(x, count);
  float last = 0;
  int number = 0;
  cudaMemcpy(&last, x + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&number, calls, sizeof number);
  std::printf("%g %d %d\n", last, number, calls_of_other());
  cudaFree(x);
}
