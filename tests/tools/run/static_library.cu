// A library with NVIDIA's own runtime inside (-DLIBRARY), and a program that uses what its kernel would have written.
#include <cuda_runtime.h>

#ifdef LIBRARY

namespace {
__global__ void write(float* x) { x[threadIdx.x] = float(threadIdx.x); }
}  // namespace

extern "C" void fill(float* x) { write<<<1, 32>>>(x); }

#else

extern "C" void fill(float* x);

namespace {
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 2; }  // at:use
}  // namespace

int main() {
  float *x, *y, results[32];
  cudaMalloc(&x, sizeof results);
  cudaMalloc(&y, sizeof results);
  fill(x);
  twice<<<1, 32>>>(x, y);
  cudaMemcpy(results, y, sizeof results, cudaMemcpyDeviceToHost);
  return 0;
}

#endif
