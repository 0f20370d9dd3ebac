// Barriers that not everybody comes to.

// Only the first `count` threads come to the barrier.
extern "C" __global__ void barrier_in_branch(float* out, int count) {
  float value = threadIdx.x;
  if (threadIdx.x < count) {
    value = sinf(value);
    __syncthreads();  // the barrier in a branch
  }
  out[threadIdx.x] = value;
}

// Threads from `count` on have left before the barrier.
extern "C" __global__ void leave_early(float* out, int count) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= count) return;
  __syncthreads();  // the barrier after some have left
  out[threadIdx.x] = tile[count - 1 - threadIdx.x];
}

// Whole warps return before a loop with a barrier in it: nobody waits for them.
extern "C" __global__ void leave_before_loop(float* out, int count) {
  __shared__ float tile[64];
  if (threadIdx.x >= count) return;
  float value = threadIdx.x;
  for (int n = 0; n < 3; ++n) {
    tile[threadIdx.x] = value;
    __syncthreads();
    value = tile[count - 1 - threadIdx.x] + n;
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

// The second warp returns from the loop after `rounds` of it, between two barriers.
extern "C" __global__ void leave_in_loop(float* out, int rounds, int until) {
  __shared__ float tile[64];
  float value = threadIdx.x;
  for (int n = 0; n < rounds; ++n) {
    if (n >= until && threadIdx.x >= 32) return;
    tile[threadIdx.x] = value;
    __syncthreads();
    value = tile[threadIdx.x ^ 31] * 0.5f;
    __syncthreads();
  }
  if (threadIdx.x < 32) out[threadIdx.x] = value;
}

// A barrier that waits for `count` threads, of which 64 come.
extern "C" __global__ void named_barrier(float* out, int count) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");  // the named barrier
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// Warps 0 and 1 meet at one barrier, warps 2 and 3 at another.
extern "C" __global__ void barrier_of_halves(float* out) {
  __shared__ float tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x ^ 63];
}

// The producer's warps arrive and go on, the consumer's wait.
extern "C" __global__ void arrive_and_wait(float* out) {
  __shared__ float tile[64];
  if (threadIdx.x < 64) {
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 3, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    out[threadIdx.x - 64] = tile[127 - threadIdx.x];
  }
}

// Two loops with a barrier, that some leave a round earlier.
extern "C" __global__ void barrier_in_loop(float* out, int rounds, int fewer) {
  __shared__ float tile[64];
  float value = threadIdx.x;
  const int mine = rounds - (threadIdx.x < 32 ? fewer : 0);
  for (int n = 0; n < mine; ++n) {
    tile[threadIdx.x] = value;
    __syncthreads();  // the barrier in a loop
    value = tile[threadIdx.x ^ 32];
    __syncthreads();  // the second barrier in a loop
  }
  out[threadIdx.x] = value;
}
