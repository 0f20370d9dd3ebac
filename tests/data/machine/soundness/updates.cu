// Updates in two steps: a strong load, and a strong store of what was made of it. None of the accesses is weak, and an
// update is lost where another one comes between.
#include "tests/data/machine/soundness/pair.h"

static __device__ __forceinline__ int relaxed_load(const int* at) {
  int value;
  asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
static __device__ __forceinline__ void relaxed_store(int* at, int value) {
  asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// blocks_count: grid 8 block 32; finds global-race
PAIR(blocks_count) {
  volatile int* const count = work;
  if (threadIdx.x) return;
  if (wrong)
    *count = *count + 1;
  else
    atomicAdd(work, 1);
}

// relaxed_blocks_count: grid 8 block 32; finds global-race
PAIR(relaxed_blocks_count) {
  if (threadIdx.x) return;
  int* const at = wrong ? work : work + blockIdx.x;
  relaxed_store(at, relaxed_load(at) + in[3]);
}

// queue_of_items: grid 4 block 32; finds global-race
PAIR(queue_of_items) {
  volatile int* const next = work;
  if (threadIdx.x) return;
  for (;;) {
    int item;
    if (wrong) {
      item = *next;
      *next = item + 1;
    } else {
      item = atomicAdd(work, 1);
    }
    if (item >= 16) return;
    atomicAdd(out + item, in[item] * 3);
  }
}

// counter_under_a_lock: grid 6 block 32; finds global-race
PAIR(counter_under_a_lock) {
  volatile int* const count = work + 1;
  if (threadIdx.x) return;
  if (!wrong) {
    while (atomicCAS(work, 0, 1) != 0) {
    }
    __threadfence();
  }
  *count = *count + in[2];
  if (!wrong) {
    __threadfence();
    atomicExch(work, 0);
  }
}

// turn_is_passed_on: grid 40 block 32; finds global-race
PAIR(turn_is_passed_on) {
  volatile int* const turn = work;
  volatile int* const sum = work + 1;
  if (threadIdx.x) return;
  if (!wrong) {
    while (*turn != int(blockIdx.x)) {
    }
  }
  out[blockIdx.x] = *sum;
  *turn = *turn + 1;
}

// turn_of_whole_warps: grid 9 block 64; finds global-race
PAIR(turn_of_whole_warps) {
  volatile int* const turn = work;
  if (!wrong) {
    while (*turn < int(blockIdx.x)) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 40) *turn = *turn + 1;
}

// barrier_of_generations: grid 5 block 32; finds global-race or hang
PAIR(barrier_of_generations) {
  volatile int* const generation = work + 1;
  if (threadIdx.x) return;
  for (int round = 0; round < 4; ++round) {
    const int mine = *generation;
    __threadfence();
    const bool is_last = atomicAdd(work, 1) == int(gridDim.x) - 1;
    if (is_last) {
      atomicExch(work, 0);
      __threadfence();
    }
    if (is_last || (wrong && blockIdx.x == 0)) *generation = *generation + 1;
    while (*generation == mine) {
    }
  }
  out[blockIdx.x] = *generation;
}

// warps_count: grid 1 block 128; finds shared-race
PAIR(warps_count) {
  __shared__ volatile int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    if (wrong)
      count = count + 1;
    else
      atomicAdd(const_cast<int*>(&count), 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

// lanes_count: grid 1 block 32; finds shared-race
PAIR(lanes_count) {
  __shared__ volatile int count[32];
  count[threadIdx.x] = 0;
  __syncthreads();
  volatile int* const mine = wrong ? &count[in[threadIdx.x] % 4] : &count[in[threadIdx.x]];
  *mine = *mine + int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = count[threadIdx.x];
}

// one_warp_counts_for_all: grid 1 block 64; finds shared-race
PAIR(one_warp_counts_for_all) {
  __shared__ volatile int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (wrong || threadIdx.x < 32) count = count + 1;
  __syncthreads();
  out[threadIdx.x] = count;
}

// warps_in_turn: grid 1 block 128; finds shared-race
PAIR(warps_in_turn) {
  __shared__ volatile int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int warp = 0; warp < 4; ++warp) {
    if (threadIdx.x == warp * 32u) count = count + in[warp];
    if (!wrong) __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

// sum_in_place: grid 1 block 64; finds shared-race
PAIR(sum_in_place) {
  __shared__ volatile float s[64];
  s[threadIdx.x] = float(in[threadIdx.x]);
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < unsigned(half)) s[wrong ? threadIdx.x & 3 : threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = int(s[0]);
}

// flag_of_errors: grid 6 block 32; finds global-race
PAIR(flag_of_errors) {
  volatile int* const flags = work;
  if (threadIdx.x) return;
  if (in[blockIdx.x] % 2 == 0) *flags = *flags | 4;
  if (wrong && in[blockIdx.x] % 3 == 0) *flags = *flags | 8;
  out[blockIdx.x] = 1;
}

// most_of_a_constant: grid 6 block 32; finds global-race
PAIR(most_of_a_constant) {
  volatile int* const most = work;
  if (threadIdx.x) return;
  *most = max(*most, wrong ? in[blockIdx.x] : 7);
  out[blockIdx.x] = 1;
}

// bits_of_errors: grid 6 block 32; finds global-race; warns global-race
PAIR(bits_of_errors) {
  if (threadIdx.x) return;
  if (in[blockIdx.x] % 2 == 0) *work |= 4;
  if (wrong && in[blockIdx.x] % 3 == 0) *work |= 8;
}

// one_bit_for_a_block: grid 1 block 128; finds shared-race; warns shared-race
PAIR(one_bit_for_a_block) {
  __shared__ int failed;
  if (threadIdx.x == 0) failed = 0;
  __syncthreads();
  if (in[threadIdx.x] > 50) failed |= wrong ? 1 << (threadIdx.x / 32) : 1;
  __syncthreads();
  out[threadIdx.x] = failed;
}

// set_where_it_is_not: grid 6 block 32; finds global-race; warns global-race
PAIR(set_where_it_is_not) {
  if (threadIdx.x) return;
  if (in[blockIdx.x] > 1 && *work == 0) {
    *work = 1;
    if (wrong) out[blockIdx.x] = 1;
  }
}

// cleared_where_it_is_set: grid 1 block 96; finds shared-race; warns shared-race
PAIR(cleared_where_it_is_set) {
  __shared__ int all_agree;
  if (threadIdx.x == 0) all_agree = 1;
  __syncthreads();
  if (all_agree != 0 && in[threadIdx.x] < 50) all_agree = 0;
  if (wrong && threadIdx.x == 70) all_agree = 2;
  __syncthreads();
  out[threadIdx.x] = all_agree;
}

// queue_with_an_end: grid 3 block 32; finds global-race
PAIR(queue_with_an_end) {
  volatile int* const next = work;
  if (threadIdx.x) return;
  for (;;) {
    const int item = wrong ? *next : atomicAdd(work, 1);
    if (item >= 10) return;
    if (wrong) *next = item + 1;
    atomicAdd(out + item, in[item] * 3);
  }
}

// slot_if_there_is_one: grid 4 block 32; finds global-race
PAIR(slot_if_there_is_one) {
  volatile int* const used = work;
  if (threadIdx.x) return;
  if (!wrong) {
    while (atomicCAS(work + 1, 0, 1) != 0) {
    }
    __threadfence();
  }
  const int mine = *used;
  if (mine < 3) {
    *used = mine + 1;
    out[blockIdx.x] = wrong ? in[mine] : 1;
  }
  if (!wrong) {
    __threadfence();
    atomicExch(work + 1, 0);
  }
}

// turn_that_is_looked_at_once: grid 12 block 32; finds global-race
PAIR(turn_that_is_looked_at_once) {
  volatile int* const turn = work;
  if (threadIdx.x) return;
  int now = *turn;
  while (!wrong && now != int(blockIdx.x)) now = *turn;
  if (now >= 0) *turn = now + 1;
}

// two_take_turns: grid 2 block 32; finds global-race
PAIR(two_take_turns) {
  volatile int* const turn = work;
  if (threadIdx.x) return;
  for (int round = 0; round < 5; ++round) {
    int now;
    do {
      now = *turn;
    } while (!wrong && now % 2 != int(blockIdx.x));
    if (now < 100) *turn = now + 1;
  }
}

// even_and_odd: grid 3 block 32; finds global-race
PAIR(even_and_odd) {  // one writer, and readers that look whether it was at work
  volatile int *const sequence = work, *const data = work + 1;
  if (threadIdx.x) return;
  if (blockIdx.x == 0 || (wrong && blockIdx.x == 1)) {
    const int before = *sequence;
    if (before % 2 == 0) *sequence = before + 1;
    __threadfence();
    if (blockIdx.x == 0) *data = 7;
    __threadfence();
    if (before % 2 == 0) *sequence = before + 2;
    return;
  }
  int before, seen;
  do {
    before = *sequence;
    __threadfence();
    seen = *data;
    __threadfence();
  } while (before % 2 != 0 || *sequence != before);
  out[blockIdx.x] = seen;
}

// warps_pass_a_baton: grid 1 block 128; finds shared-race
PAIR(warps_pass_a_baton) {
  __shared__ volatile int baton;
  if (threadIdx.x == 0) baton = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    int now = baton;
    while (!wrong && now != int(threadIdx.x / 32)) now = baton;
    if (now < 8) baton = now + 1;
  }
  __syncthreads();
  out[threadIdx.x] = baton;
}
