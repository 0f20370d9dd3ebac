// out[thread] = nested(thread, number), every function called.
#include "tests/data/machine/kernels/nested_calls.h"

extern "C" __global__ void nested_calls_kernel(int* out, int number) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = nested_calls::nested(thread, number);
}
