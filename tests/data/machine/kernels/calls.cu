// Calls that nvcc does not inline.
__device__ __noinline__ int twice_and(int value, int more) { return 2 * value + more; }

__device__ __noinline__ int halvings(int value) { return value <= 1 ? 0 : 1 + halvings(value / 2) + value % 2; }

// out[thread] = 2 thread + more where it is asked for
extern "C" __global__ void call_function(int* out, int more) {
  int value = threadIdx.x;
  if (more) value = twice_and(value, more);
  out[threadIdx.x] = value;
}

// A function that calls itself, where it is asked for.
extern "C" __global__ void call_itself(int* out, int more) {
  int value = threadIdx.x;
  if (more) value = halvings(value + more);  // the call
  out[threadIdx.x] = value;
}
