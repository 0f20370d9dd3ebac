// How launches end: endless loops, limits, outputs that nobody wrote, assertions.
#include <cassert>
#include <cstdio>

// Adds until the sum is over `limit`, by `step`.
extern "C" __global__ void add_until(float* out, float limit, float step) {
  float sum = 0;
  while (sum < limit) {  // the loop
    sum += step;         // the addition
  }
  out[threadIdx.x] = sum;
}

// A thread waits for a flag that another sets only when it is asked to.
extern "C" __global__ void wait_for_flag(int* flag, int* out, int set) {
  if (threadIdx.x == 0 && set) atomicExch(flag, 1);
  while (atomicAdd(flag, 0) == 0) {  // the wait
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void write_some(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 1;
}

extern "C" __global__ void __launch_bounds__(128) bounded_block(float* out) { out[threadIdx.x] = 1; }

extern "C" __global__ void fill_dynamic_shared(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1;
  out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void assert_positive(const float* x, float* out) {
  assert(x[threadIdx.x] > 0);  // the assertion
  out[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void trap_unless_positive(const float* x, float* out) {
  if (!(x[threadIdx.x] > 0)) __trap();  // the trap
  out[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void print_some(const float* x, float* out) {
  if (threadIdx.x < 2) printf("block %d thread %d: %g %s\n", int(blockIdx.x), int(threadIdx.x), x[threadIdx.x], "done");
  out[threadIdx.x] = x[threadIdx.x];
}
