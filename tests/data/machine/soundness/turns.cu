// Faults that show only where threads take turns at certain points.
#include "tests/data/machine/soundness/pair.h"

// barrier_reset_after_it_opens: grid 3 block 32; finds hang
PAIR(barrier_reset_after_it_opens) {
  int *const count = work + 1000, *const sense = work + 1001;
  if (threadIdx.x) return;
  int mine = 0;
  for (int round = 0; round < 5; ++round) {
    mine ^= 1;
    __threadfence();
    if (atomicAdd(count, 1) == int(gridDim.x) - 1) {
      __threadfence();
      if (!wrong) *const_cast<volatile int*>(count) = 0;
      release(sense, mine);
      if (wrong) *const_cast<volatile int*>(count) = 0;
    } else {
      while (acquire(sense) != mine) {
      }
    }
  }
  out[blockIdx.x] = mine;
}

// slot_freed_too_early: grid 2 block 32; finds global-race
PAIR(slot_freed_too_early) {
  constexpr int room = 2, messages = 8;
  int *const head = work + 1000, *const tail = work + 1001;
  if (threadIdx.x) return;
  for (int i = 0; i < messages; ++i) {
    if (blockIdx.x == 0) {
      while (i - acquire(tail) >= room) {
      }
      work[i % room] = i;
      release(head, i + 1);
    } else {
      while (acquire(head) <= i) {
      }
      if (wrong) release(tail, i + 1);
      out[i] = work[i % room];
      if (!wrong) release(tail, i + 1);
    }
  }
}

// An exchange that only the warp's own steps order: a warning, which hides nothing else.
static __device__ __forceinline__ void exchange(int* out) {
  __shared__ int shared[32];
  shared[threadIdx.x] = threadIdx.x;
  out[blockIdx.x * 32 + threadIdx.x] = shared[31 - threadIdx.x];
}

// An error that both kernels of a pair have, which hides nothing else.
static __device__ __forceinline__ void write_past_the_end(int* out) { out[4096 + blockIdx.x * 32 + threadIdx.x] = 1; }

template <bool wrong>
static __device__ __forceinline__ void look_back(int* out, int* work) {
  int* const flag = work + 1000;
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    work[0] = 7;
    release(flag, 1);
  } else {
    while (!wrong && acquire(flag) == 0) {
    }
    if (wrong) acquire(flag);
    out[1000 + blockIdx.x] = work[0];
  }
}

// look_back_beside_a_warning: grid 4 block 32; finds global-race; warns shared-race
PAIR(look_back_beside_a_warning) {
  exchange(out);
  look_back<wrong>(out, work);
}

// look_back_beside_an_error: grid 4 block 32; finds global-race; both out-of-bounds-write
PAIR(look_back_beside_an_error) {
  write_past_the_end(out);
  look_back<wrong>(out, work);
}

template <bool wrong>
static __device__ __forceinline__ void take_two_locks(int* out, int* work) {
  if (threadIdx.x) return;
  const int first = wrong ? blockIdx.x : 0;
  while (atomicCAS(work + first, 0, 1)) {
  }
  while (atomicCAS(work + 1 - first, 0, 1)) {
  }
  __threadfence();
  atomicAdd(out + 1000, 1);
  __threadfence();
  atomicExch(work + 1 - first, 0);
  atomicExch(work + first, 0);
}

// locks_beside_a_warning: grid 2 block 32; finds hang; warns shared-race
PAIR(locks_beside_a_warning) {
  exchange(out);
  take_two_locks<wrong>(out, work);
}

// locks_beside_an_error: grid 2 block 32; finds hang; both out-of-bounds-write
PAIR(locks_beside_an_error) {
  write_past_the_end(out);
  take_two_locks<wrong>(out, work);
}

static __device__ __forceinline__ void wait_for_all_blocks(int* count, int times) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*const_cast<volatile int*>(count) < times * int(gridDim.x)) {
    }
    __threadfence();
  }
  __syncthreads();
}

// first_round_stores_what_is_there: grid 4 block 64; finds global-race
PAIR(first_round_stores_what_is_there) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  int times = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    work[i] = round;
    if (!wrong) wait_for_all_blocks(work + 1000, ++times);
    out[i] += work[(i + 64) % all];
    wait_for_all_blocks(work + 1000, ++times);
  }
}
