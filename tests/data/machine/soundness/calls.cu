// Calls of addresses: pointers to functions in registers and tables, virtual functions, functions that a library takes
// the address of.
#include <cuda/atomic>

#include "tests/data/machine/soundness/pair.h"

using Index = int (*)(int, int);
__device__ __noinline__ int straight(int t, int n) { return t; }
__device__ __noinline__ int backwards(int t, int n) { return n - 1 - t; }
__device__ __noinline__ int far_away(int t, int n) { return 4096 + t; }
__device__ Index ways[3] = {straight, backwards, far_away};

// index_from_a_table_of_functions: grid 1 block 64; finds out-of-bounds-write
PAIR(index_from_a_table_of_functions) {
  const int t = threadIdx.x;
  out[ways[in[t] % (wrong ? 3 : 2) == 2 ? 2 : 0](t, n)] = t;
}

// lanes_that_call_different_functions: grid 1 block 64; finds global-race
PAIR(lanes_that_call_different_functions) {
  const int t = threadIdx.x;
  const Index way = t < 32 || wrong ? ways[in[t] & 1] : ways[0];
  out[t < 32 && !wrong ? way(t, n) + (in[t] & 1) * 4000 : way(t, n)] = t;
}

__device__ __noinline__ int meet(int t, int n) {
  __syncthreads();
  return t;
}
__device__ Index meetings[2] = {straight, meet};

// barrier_in_one_of_the_functions: grid 1 block 64; finds barrier-divergence
PAIR(barrier_in_one_of_the_functions) {
  const int t = threadIdx.x;
  out[meetings[wrong ? in[t] < 40 : in[0] == 0](t, n)] = in[t];
}

struct Shape {
  __device__ virtual int area(const int* s, int t) const = 0;
};
struct Square : Shape {
  __device__ int area(const int* s, int t) const override { return s[t] * s[t]; }
};
struct Neighbour : Shape {
  __device__ int area(const int* s, int t) const override { return s[t ^ 1] * 3; }
};

// virtual_function_reads_shared_memory: grid 1 block 64; finds shared-race or uninitialized-read
PAIR(virtual_function_reads_shared_memory) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  const Square square;
  const Neighbour neighbour;
  const Shape* const shape = in[t] % 3 ? static_cast<const Shape*>(&square) : &neighbour;
  s[t] = in[t];
  if (!wrong) __syncwarp();
  out[t] = shape->area(s, t);
}

// largest_by_a_library: grid 2 block 64; finds global-race
PAIR(largest_by_a_library) {
  const int t = threadIdx.x;
  if (wrong)
    work[0] = max(work[0], in[t] + int(blockIdx.x));
  else
    cuda::atomic_ref<int, cuda::thread_scope_device>(work[0]).fetch_max(in[t] + blockIdx.x);
}

// A block has one copy of a function's shared variable, however often the function is called.
__device__ __noinline__ int from_first(int value, bool give) {
  __shared__ int kept;
  if (give && threadIdx.x == 0) kept = value;
  __syncthreads();
  const int got = kept;
  __syncthreads();
  return got;
}

// shared_of_a_function_that_is_called_twice: grid 1 block 64; finds uninitialized-read
PAIR(shared_of_a_function_that_is_called_twice) {
  const int first = from_first(in[5], !wrong);
  out[threadIdx.x] = first + from_first(0, false);
}

__device__ __noinline__ int from_first_without_end(int value) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = value;
  __syncthreads();
  return kept;
}

// two_calls_without_a_barrier_between: grid 1 block 64; finds shared-race
PAIR(two_calls_without_a_barrier_between) {
  int sum = from_first_without_end(in[1]);
  if (!wrong) __syncthreads();
  sum += from_first_without_end(in[2]);
  out[threadIdx.x] = sum;
}

__device__ __noinline__ int* pool() {
  __shared__ int pool[64];
  return pool;
}

// pool_by_a_function: grid 1 block 64; finds shared-race
PAIR(pool_by_a_function) {
  const int t = threadIdx.x;
  pool()[t] = in[t];
  if (!wrong) __syncthreads();
  out[t] = pool()[63 - t];
}

static __device__ __noinline__ int sum_of(const int* values, int count) {
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k];
  return sum;
}

// The frame is aligned, so that its array has room behind it.
// one_behind_an_array: grid 1 block 32; finds out-of-bounds-write
PAIR(one_behind_an_array) {
  int values[6] = {1, 2, 3, 4, 5, 6};
  values[in[wrong ? 6 : 5]] = 7;
  int sum = 0;
  for (int k = 0; k < 6; ++k) sum += values[in[k]];
  out[threadIdx.x] = sum;
}

// one_behind_the_array_of_a_caller: grid 1 block 32; finds out-of-bounds-read or uninitialized-read
PAIR(one_behind_the_array_of_a_caller) {
  int values[4] = {1, 2, 3, 4};
  out[threadIdx.x] = sum_of(values, in[wrong ? 5 : 4]);
}
