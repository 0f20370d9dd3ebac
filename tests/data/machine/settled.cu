// Kernels that break a rule in every thread, and lead to nothing else that is a finding of its own, or to something that
// only the last block does. The first tensor is not written, or its end is where the second half of the reads begin.
#define I int i = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void late_write(const int* from, const int* table, int* to, int n) {
  I;
  const int value = from[i + n];
  to[blockIdx.x + 1 == gridDim.x ? i + n : i] = value + table[0];
}
extern "C" __global__ void late_read(const int* from, const int* table, int* to, int n) {
  I;
  int value = from[i];
  if (blockIdx.x + 1 == gridDim.x) value += table[i + n];
  to[i] = value;
}
extern "C" __global__ void as_index(const int* from, const int* table, int* to, int) {
  I;
  to[i] = table[from[i] - 5];
}
extern "C" __global__ void outside_as_index(const int* from, const int* table, int* to, int n) {
  I;
  to[i] = table[from[i + n] - 5];
}
extern "C" __global__ void as_index_through_shared_memory(const int* from, const int* table, int* to, int) {
  I;
  __shared__ int shared[64];
  shared[threadIdx.x] = from[i];
  __syncthreads();
  to[i] = table[shared[threadIdx.x ^ 1] - 5];
}
extern "C" __global__ void as_index_through_global_memory(const int* from, const int* table, int* to, int) {
  I;
  volatile int* there = to;
  there[i] = from[i];
  to[i] = table[there[i] - 5];
}
extern "C" __global__ void as_index_through_a_shuffle(const int* from, const int* table, int* to, int) {
  I;
  to[i] = table[__shfl_xor_sync(0xffffffffu, from[i], 1) - 5];
}
extern "C" __global__ void as_index_through_a_vote(const int* from, const int* table, int* to, int) {
  I;
  to[i] = table[int(__ballot_sync(0xffffffffu, from[i] > 0)) - 5];
}
extern "C" __global__ void as_lane(const int* from, const int* table, int* to, int) {
  I;
  to[i] = __shfl_sync(0xffffffffu, table[i % 32], from[i]);
}
extern "C" __global__ void as_branch(const int* from, const int* table, int* to, int) {
  I;
  if (from[i] > 0) to[i] = table[i];
  else to[i] = 1;
}
extern "C" __global__ void as_count(const int* from, const int* table, int* to, int n) {
  I;
  int sum = 0;
  for (int k = 0; k < from[i]; ++k) sum += table[k + n];
  to[i] = sum;
}
extern "C" __global__ void around_a_barrier(const int* from, const int* table, int* to, int) {
  I;
  __shared__ int shared[64];
  shared[threadIdx.x] = table[i];
  if (from[i] > 0) __syncthreads();
  to[i] = shared[threadIdx.x ^ 32];
}
extern "C" __global__ void past_shared_memory(const int* from, const int* table, int* to, int n) {
  I;
  __shared__ int shared[64];
  shared[threadIdx.x] = table[i];
  __syncthreads();
  shared[threadIdx.x + n] = 1;
  __syncthreads();
  to[i] = shared[threadIdx.x] + shared[threadIdx.x + n] + (blockIdx.x + 1 == gridDim.x ? from[i] : 0);
}
extern "C" __global__ void past_shared_memory_as_index(const int* from, const int* table, int* to, int n) {
  I;
  __shared__ int shared[64];
  shared[threadIdx.x] = table[i];
  __syncthreads();
  to[i] = table[shared[threadIdx.x + n]];
}
extern "C" __global__ void count_outside(const int* from, const int* table, int* to, int n) {
  I;
  atomicAdd(&to[i + n], table[i]);
  if (blockIdx.x + 1 == gridDim.x) atomicAdd(&to[i], from[i]);
}
extern "C" __global__ void sum_of_unwritten(const int* from, const int* table, int* to, int n) {
  I;
  atomicAdd(to, from[i]);
  if (blockIdx.x + 1 == gridDim.x) atomicAdd(&to[i], table[i + n]);
}
extern "C" __global__ void count_in_unwritten(int* from, const int* table, int* to, int n) {
  I;
  atomicAdd(&from[i & 63], table[i]);
  to[i] = blockIdx.x + 1 == gridDim.x ? table[i + n] : 1;
}
extern "C" __global__ void count_in_unwritten_as_index(int* from, const int* table, int* to, int) {
  I;
  atomicAdd(&from[i], 1);
  to[i] = table[from[i] - 5];
}
extern "C" __global__ void sum_as_index(const int* from, const int* table, int* to, int) {
  I;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, from[i]);
  __syncthreads();
  to[i] = table[sum - 5];
}
extern "C" __global__ void two_in_one_value(const int* from, const int* table, int* to, int n) {
  I;
  to[i] = from[i] + table[i + n];
}
// Half of the threads go round a barrier and leave: in all blocks, in one block as well, in one block alone, where the
// others' have returned, and in none.
__device__ void halves(int* to, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 32) __syncthreads();
    atomicAdd(to + threadIdx.x, r);
  }
}
extern "C" __global__ void missed_by_all(const int*, const int*, int* to, int n) { halves(to, n); }
extern "C" __global__ void missed_twice_in_one(const int*, const int*, int* to, int n) {
  halves(to, n);
  if (blockIdx.x == 700) halves(to + 64, n);
}
extern "C" __global__ void missed_by_one(const int*, const int*, int* to, int n) {
  if (threadIdx.x >= 32 && blockIdx.x != 700) return;
  halves(to, n);
}
extern "C" __global__ void missed_by_none(const int*, const int*, int* to, int n) {
  if (threadIdx.x >= 32) return;
  halves(to, n);
}
