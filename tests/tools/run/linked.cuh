// What the two sources of linked_programs.cu share.
#pragma once

extern __device__ int shift;
__device__ float scaled(float x, int n);
void run_second(float* x, int count);
int calls_of_other();

// Both have it, with its shared memory.
template <class T>
__device__ T plus_one(T x) {
  __shared__ int one;
  if (threadIdx.x == 0) one = 1;
  __syncthreads();
  return x + one;
}
