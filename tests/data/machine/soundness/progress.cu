// Who waits for whom: blocks, warps and lanes that need others to go on.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "tests/data/machine/soundness/pair.h"

static __device__ __forceinline__ int peek(const int* at) { return *(const volatile int*)at; }

// grid_barrier: grid 8 block 64; finds global-race; lacks release
PAIR(grid_barrier) {
  const int t = threadIdx.x, b = blockIdx.x;
  work[64 + b * n + t] = in[t] + b;
  __syncthreads();
  if (t == 0) {
    if (!wrong) __threadfence();
    atomicAdd(&work[0], 1);
    while (peek(&work[0]) < (int)gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  out[b * n + t] = work[64 + ((b + 1) % gridDim.x) * n + t];
}

// message_to_an_earlier_block: grid 2 block 32; finds hang
PAIR(message_to_an_earlier_block) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    while (peek(&work[0]) == 0) {}
    out[0] = 1;
  } else if (!wrong) {
    *(volatile int*)&work[0] = 1;
  }
}

// message_to_an_earlier_warp: grid 1 block 64; finds hang
PAIR(message_to_an_earlier_warp) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (flag != 1) {}
    out[0] = 1;
  } else if (threadIdx.x == 32) {
    flag = wrong ? 2 : 1;
  }
}

// message_within_a_warp: grid 1 block 32; finds hang
PAIR(message_within_a_warp) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    while (flag != 1) {}
    out[0] = 1;
  } else if (threadIdx.x == 7 && !wrong) {
    flag = 1;
  }
}

// spin_lock_by_all_lanes: grid 2 block 64; finds global-race; lacks release
PAIR(spin_lock_by_all_lanes) {
  while (atomicCAS(&work[0], 0, 1) != 0) {}
  __threadfence();
  out[0] = out[0] + 1;
  if (!wrong) __threadfence();
  atomicExch(&work[0], 0);
}

// lock_that_is_never_released: grid 2 block 32; finds hang
PAIR(lock_that_is_never_released) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&work[0], 0, 1) != 0) {}
  __threadfence();
  out[0] = out[0] + 1;
  __threadfence();
  if (!wrong) atomicExch(&work[0], 0);
}

// lock_with_exchange: grid 3 block 32; finds hang
PAIR(lock_with_exchange) {
  if (threadIdx.x != 0) return;
  while (atomicExch(&work[0], 1) == 1) __nanosleep(20);
  __threadfence();
  out[0] = out[0] + 1;
  __threadfence();
  if (!(wrong && blockIdx.x == 1)) atomicExch(&work[0], 0);
}

// ticket_lock: grid 3 block 64; finds hang
PAIR(ticket_lock) {
  const int mine = atomicAdd(&work[0], 1);
  while (peek(&work[1]) != mine) {}
  __threadfence();
  out[0] = out[0] + 1;
  __threadfence();
  atomicAdd(&work[1], wrong && mine == 70 ? 2 : 1);
}

// two_locks: grid 2 block 32; finds hang
PAIR(two_locks) {
  if (threadIdx.x != 0) return;
  const int first = wrong && blockIdx.x == 1 ? 1 : 0;
  while (atomicCAS(&work[first], 0, 1) != 0) {}
  atomicAdd(&work[2], 1);
  if (wrong) while (peek(&work[2]) < 2) {}
  while (atomicCAS(&work[1 - first], 0, 1) != 0) {}
  __threadfence();
  out[0] = out[0] + 1;
  __threadfence();
  atomicExch(&work[1 - first], 0);
  atomicExch(&work[first], 0);
}

// look_back: grid 6 block 32; finds global-race
PAIR(look_back) {
  const int t = threadIdx.x, b = blockIdx.x;
  int* flags = work;
  int* sums = work + 64;
  if (t != 0) return;
  int sum = in[b];
  if (b > 0) {
    if (!wrong) {
      while (peek(&flags[b - 1]) == 0) {}
    } else {
      (void)peek(&flags[b - 1]);
    }
    __threadfence();
    sum += sums[b - 1];
  }
  sums[b] = sum;
  __threadfence();
  *(volatile int*)&flags[b] = 1;
  out[b] = sum;
}

// chain_of_blocks_downwards: grid 5 block 32; finds hang
PAIR(chain_of_blocks_downwards) {
  const int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (b + 1 < gridDim.x || wrong) {
    while (atomicAdd(&work[b + 1], 0) == 0) {}
  }
  atomicExch(&work[b], 1);
  out[b] = b;
}

// bounded_wait: grid 2 block 32; finds hang
PAIR(bounded_wait) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  int tries = 0;
  while (peek(&work[0]) == 0 && (wrong || ++tries < 1000)) {}
  out[0] = tries;
}

// barrier_that_a_spinner_misses: grid 1 block 64; finds hang
PAIR(barrier_that_a_spinner_misses) {
  __shared__ volatile int flag;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (wrong) {
    if (t < 32) while (flag == 0) {}
    __syncthreads();
    if (t == 32) flag = 1;
  } else {
    if (t == 32) flag = 1;
    if (t < 32) while (flag == 0) {}
    __syncthreads();
  }
  out[t] = flag;
}

// producer_and_consumer_blocks: grid 2 block 32; finds global-race; lacks acquire
PAIR(producer_and_consumer_blocks) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> head(work[0]), tail(work[1]);
  for (int i = 0; i < 12; ++i) {
    if (blockIdx.x == 0) {
      while (i - tail.load(wrong ? cuda::memory_order_relaxed : cuda::memory_order_acquire) >= 4) {}
      work[64 + i % 4] = in[i];
      head.store(i + 1, cuda::memory_order_release);
    } else {
      while (head.load(cuda::memory_order_acquire) <= i) {}
      out[i] = work[64 + i % 4];
      tail.store(i + 1, cuda::memory_order_release);
    }
  }
}

// grid_sync: grid 4 block 64; finds global-race
PAIR(grid_sync) {
  const int t = threadIdx.x, b = blockIdx.x;
  work[b * n + t] = in[t];
  if (!wrong) cooperative_groups::this_grid().sync();
  out[b * n + t] = work[((b + 1) % gridDim.x) * n + t];
}

// work_queue: grid 3 block 32; finds global-race
PAIR(work_queue) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(&work[0], 1);
    __syncthreads();
    const int i = item;
    __syncthreads();
    if (i >= 8) return;
    out[(wrong ? i / 2 : i) * 32 + threadIdx.x] = in[threadIdx.x] + i;
  }
}

// endless_without_memory: grid 1 block 32; finds hang
PAIR(endless_without_memory) {
  int v = in[threadIdx.x];
  while (v < 100) {
    asm volatile("" : "+r"(v) : : "memory");
    if (!wrong) v += 3;
  }
  out[threadIdx.x] = v;
}

// flag_that_is_set_at_first: grid 1 block 64; finds uninitialized-read
PAIR(flag_that_is_set_at_first) {
  __shared__ volatile int flag;
  __shared__ volatile int value;
  const int t = threadIdx.x;
  if (t == 0 && !wrong) flag = 0;
  __syncthreads();
  if (t == 0) {
    value = in[5];
    __threadfence_block();
    flag = 1;
  }
  while (flag == 0) {
  }
  __threadfence_block();
  out[t] = value;
}

// barrier_of_the_grid_used_again: grid 2 block 32; finds global-race
PAIR(barrier_of_the_grid_used_again) {
  const int t = threadIdx.x, mine = blockIdx.x * 32 + t, other = (1 - blockIdx.x) * 32 + t;
  for (int round = 1; round <= 3; ++round) {
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicAdd(work, 1);
      // The second barrier waits for what the first one waited for.
      const int goal = wrong && round == 2 ? 2 : 2 * round;
      while (*(volatile int*)work < goal) {
      }
      __threadfence();
    }
    __syncthreads();
    if (round == 1) work[128 + mine] = out[other];
    if (round == 2) out[mine] = in[mine];
  }
}

// a_barrier_of_many_blocks: grid 600 block 32; finds hang
PAIR(a_barrier_of_many_blocks) {
  if (threadIdx.x == 0) {
    atomicAdd(work, 1);
    const volatile int* const come = work;
    while (*come < int(gridDim.x) + wrong) {
    }
  }
  if (blockIdx.x == 0) out[threadIdx.x] = 1;
}

// swap_behind_a_guess: grid 8 block 64; finds global-race
PAIR(swap_behind_a_guess) {  // the largest, by a loop that looks before it swaps
  const int mine = in[blockIdx.x * n + threadIdx.x];
  int seen = work[0];
  while (seen < mine) {
    if (wrong) {
      work[0] = mine;
      break;
    }
    const int before = atomicCAS(&work[0], seen, mine);
    if (before == seen) break;
    seen = before;
  }
}
// push_on_a_list: grid 4 block 32; finds global-race
PAIR(push_on_a_list) {
  const int mine = blockIdx.x * n + threadIdx.x + 1;
  int first = work[0], next;
  do {
    work[64 + mine] = next = first;
    if (wrong)
      work[0] = mine;
    else
      first = atomicCAS(&work[0], next, mine);
  } while (first != next);
}

// tiles_of_a_queue: grid 3 block 64; finds shared-race
PAIR(tiles_of_a_queue) {
  __shared__ int item, tile[64];
  tile[threadIdx.x] = 0;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(&work[0], 1);
    __syncthreads();
    const int i = item;
    if (i >= 8) return;
    out[i * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    if (!wrong) __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x] + i;
  }
}

// rows_of_warps_behind_a_ticket: grid 3 block 64; finds shared-race
PAIR(rows_of_warps_behind_a_ticket) {  // shared memory that the lanes of a warp alone exchange values by
  __shared__ int row[64];
  __shared__ bool is_last;
  row[threadIdx.x] = 0;
  __syncthreads();
  row[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  const int other = wrong ? threadIdx.x ^ 32 : threadIdx.x ^ 1;
  out[blockIdx.x * 64 + threadIdx.x] = row[other];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&work[0], 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) out[threadIdx.x] += row[threadIdx.x];
}

// polls_are_counted: grid 2 block 32; finds hang
PAIR(polls_are_counted) {
  volatile int* const flag = work;
  if (threadIdx.x) return;
  if (blockIdx.x == 1) {
    if (!wrong) *flag = 1;
    return;
  }
  int polls = 0, steps = in[1];
  while (*flag != 1) {
    ++polls;
    steps = steps * 5 + polls;
  }
  out[0] = polls + steps;
}

// wait_gives_up: grid 1 block 64; finds hang
PAIR(wait_gives_up) {
  volatile int* const flag = work;
  int polls = 0, left = 4000;
  while (*flag != 1 && left > 0) {
    ++polls;
    if (!wrong || threadIdx.x != 40) left -= 2;
  }
  out[threadIdx.x] = polls;
}

// lanes_wait_in_two_loops: grid 1 block 32; finds hang
PAIR(lanes_wait_in_two_loops) {
  volatile int *const first = work, *const second = work + 1;
  int polls = 0;
  if (threadIdx.x < 16) {
    while (*first != 1) ++polls;
    if (threadIdx.x == 0) *second = 1;
  } else {
    // Gives up after a while, and lets the others go.
    while (*second != 1 && (wrong || polls < 300)) ++polls;
    if (threadIdx.x == 31) *first = 1;
  }
  out[threadIdx.x] = polls;
}
