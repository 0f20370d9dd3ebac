// The functions of control_flow.h as kernels: out[thread] = function(thread, number).
#include "tests/data/machine/kernels/control_flow.h"

#define KERNEL(function)                                                              \
  extern "C" __global__ void function(int* out, int number) {                         \
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;                         \
    out[thread] = control_flow::function(thread, number);                             \
  }

KERNEL(nested_conditions)
KERNEL(different_trips)
KERNEL(break_and_continue)
KERNEL(early_return)
KERNEL(many_cases)
KERNEL(jumps)
KERNEL(short_conditions)
