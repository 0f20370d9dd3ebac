// Threads of a block that meet in shared memory, with and without the barrier that would keep them apart.
#include <cuda_pipeline_primitives.h>

// out = x turned around: every thread reads what another wrote.
template <bool barrier>
__device__ __forceinline__ void turn_around(const float* x, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  if (barrier) __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // the read of another's
}
extern "C" __global__ void turn_without_barrier(const float* x, float* out) { turn_around<false>(x, out); }
extern "C" __global__ void turn_with_barrier(const float* x, float* out) { turn_around<true>(x, out); }

// The tile is filled again while others still read it.
template <bool barrier>
__device__ __forceinline__ void fill_again(const float* x, float* out) {
  __shared__ float tile[64];
  float sum = 0;
  for (int round = 0; round < 2; ++round) {
    tile[threadIdx.x] = x[64 * round + threadIdx.x];  // the second filling
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    if (barrier) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void fill_again_too_early(const float* x, float* out) { fill_again<false>(x, out); }
extern "C" __global__ void fill_again_in_time(const float* x, float* out) { fill_again<true>(x, out); }

// All write one flag: 1, or their number times `step`.
extern "C" __global__ void write_flag(int* out, int step) {
  __shared__ int flag;
  if (threadIdx.x % 32 == 0) flag = 1 + int(threadIdx.x) * step;  // the write of the flag
  __syncthreads();
  if (threadIdx.x == 0) out[0] = flag;
}

// Two lanes of one instruction write one place: slot i / `sharing`.
extern "C" __global__ void write_slots(int* out, int sharing) {
  __shared__ int slots[32];
  slots[threadIdx.x] = 0;
  __syncthreads();
  slots[threadIdx.x / sharing] = threadIdx.x;  // the write of a slot
  __syncthreads();
  out[threadIdx.x] = slots[threadIdx.x];
}

// Lanes of a warp that runs converged: nothing promises it, today's hardware does it.
template <bool synchronized>
__device__ __forceinline__ void swap_in_warp(const float* x, float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  if (synchronized) __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];  // the read of a neighbour's
}
extern "C" __global__ void swap_converged(const float* x, float* out) { swap_in_warp<false>(x, out); }
extern "C" __global__ void swap_synchronized(const float* x, float* out) { swap_in_warp<true>(x, out); }

// Lanes that have parted: the upper half reads what the lower half writes.
template <bool synchronized>
__device__ __forceinline__ void hand_up(const float* x, float* out) {
  __shared__ float tile[16];
  if (threadIdx.x < 16) tile[threadIdx.x] = sinf(x[threadIdx.x]);
  if (synchronized) __syncwarp();
  if (threadIdx.x >= 16) out[threadIdx.x - 16] = tile[threadIdx.x - 16] * x[threadIdx.x];  // the read from below
}
extern "C" __global__ void hand_up_parted(const float* x, float* out) { hand_up<false>(x, out); }
extern "C" __global__ void hand_up_synchronized(const float* x, float* out) { hand_up<true>(x, out); }

// out = x turned around, by asynchronous copies.
template <bool wait, bool barrier, bool filled>
__device__ __forceinline__ void copy_asynchronously(const float* x, float* out) {
  __shared__ __align__(16) float tile[256];
  if (filled) {
    for (int n = 0; n < 4; ++n) tile[4 * threadIdx.x + n] = 0;
    __syncthreads();
  }
  __pipeline_memcpy_async(tile + 4 * threadIdx.x, x + 4 * threadIdx.x, 16);  // the copy
  __pipeline_commit();
  if (wait) __pipeline_wait_prior(0);
  if (barrier) __syncthreads();
  for (int n = 0; n < 4; ++n) out[4 * threadIdx.x + n] = tile[255 - 4 * threadIdx.x - n];  // the read of the copy
}
extern "C" __global__ void copy_not_waited_for(const float* x, float* out) { copy_asynchronously<false, true, true>(x, out); }
extern "C" __global__ void copy_into_nothing(const float* x, float* out) { copy_asynchronously<false, true, false>(x, out); }
extern "C" __global__ void copy_without_barrier(const float* x, float* out) { copy_asynchronously<true, false, true>(x, out); }
extern "C" __global__ void copy_complete(const float* x, float* out) { copy_asynchronously<true, true, true>(x, out); }

// Counting with and without an atomic.
template <bool atomic>
__device__ __forceinline__ void count_shared(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (atomic) atomicAdd(&count, 1);
  else count += 1;  // the count
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
extern "C" __global__ void count_shared_plainly(int* out) { count_shared<false>(out); }
extern "C" __global__ void count_shared_atomically(int* out) { count_shared<true>(out); }
