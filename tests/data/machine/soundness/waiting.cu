// Waits of the CUDA C++ library, which look at the clock to sleep ever longer, and waits for the clock itself.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "tests/data/machine/soundness/pair.h"

// barrier_of_one_too_many: grid 1 block 64; finds hang
PAIR(barrier_of_one_too_many) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&ready, wrong ? n + 1 : n);
  __syncthreads();
  s[t] = in[t];
  ready.arrive_and_wait();
  out[t] = s[63 - t];
}

// latch_counted_down_by_half: grid 2 block 32; finds hang
PAIR(latch_counted_down_by_half) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) char room[sizeof(Latch)];
  Latch& done = *reinterpret_cast<Latch*>(room);
  const int t = threadIdx.x;
  if (t == 0) new (room) Latch(n);
  __syncthreads();
  if (!wrong || t % 2) done.count_down();
  done.wait();
  out[blockIdx.x * n + t] = t;
}

// semaphore_that_is_not_given_back: grid 3 block 32; finds hang
PAIR(semaphore_that_is_not_given_back) {
  auto* const tickets = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_device, 8>*>(work);
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> opened(work[64]);
  if (blockIdx.x == 0 && t == 0) {
    new (tickets) cuda::counting_semaphore<cuda::thread_scope_device, 8>(1);
    opened.store(1, cuda::memory_order_release);
  }
  if (t == 0) {
    while (!opened.load(cuda::memory_order_acquire)) {
    }
    tickets->acquire();
    work[128] += in[blockIdx.x];
    if (!wrong || blockIdx.x != 1) tickets->release();
  }
  out[blockIdx.x * 32 + t] = t;
}

// message_that_is_not_announced: grid 2 block 32; finds hang
PAIR(message_that_is_not_announced) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(work[0]);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = 7;
    flag.store(wrong ? 0 : 1, cuda::memory_order_release);
    flag.notify_all();
  } else {
    flag.wait(0, cuda::memory_order_acquire);
    out[1] = out[0];
  }
}

// gives_up_after_a_time: grid 1 block 64; finds hang
PAIR(gives_up_after_a_time) {
  const int t = threadIdx.x;
  const long long start = clock64();
  if (t == 0) {
    const volatile int* const flag = work;
    while (*flag == 0 && (wrong || clock64() - start < 4000000000ll)) {
    }
  }
  __syncthreads();
  out[t] = t;
}

// sleeps_by_the_short_clock: grid 1 block 64; finds hang
PAIR(sleeps_by_the_short_clock) {
  const int t = threadIdx.x;
  for (int round = 0; round < 5; ++round) {
    if (t == 32) {
      const unsigned start = clock();
      while (unsigned(clock()) - start < 1000000u || (wrong && round == 3)) {
      }
    }
    __syncthreads();
  }
  out[t] = t;
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// waits_for_a_second_block: grid 2 block 32; finds hang
PAIR(waits_for_a_second_block) {
  volatile int* const flag = work;
  const int t = threadIdx.x;
  if (blockIdx.x == 0 && t == 0) {
    const auto start = nanoseconds();
    while (*flag == 0) __nanosleep(nanoseconds() - start > 1000 ? 1000 : 100);
  } else if (blockIdx.x == 1 && t == 0 && !wrong) {
    const auto start = nanoseconds();
    while (nanoseconds() - start < 2000000) {
    }
    *flag = 1;
  }
  out[blockIdx.x * 32 + t] = t;
}

// counts_until_it_gives_up: grid 2 block 32; finds out-of-bounds-read
PAIR(counts_until_it_gives_up) {
  const volatile int* const flag = work;
  const long long start = clock64();
  int k = 0;
  while (!*flag) {
    if (clock64() - start > 1000000) break;
    k++;
  }
  out[blockIdx.x * n + threadIdx.x] = in[wrong ? 4096 + k : threadIdx.x] + (k > 0);
}

// counts_its_sleeps: grid 2 block 32; finds out-of-bounds-read
PAIR(counts_its_sleeps) {
  const unsigned long long start = nanoseconds();
  int k = 0;
  while (nanoseconds() - start < 1000000000ull) {
    __nanosleep(100);
    k++;
  }
  out[blockIdx.x * n + threadIdx.x] = in[wrong ? 4096 + k : threadIdx.x] + (k > 0);
}

// counts_while_time_passes: grid 40 block 64; finds out-of-bounds-read
PAIR(counts_while_time_passes) {
  const long long start = clock64();
  int k = 0;
  while (clock64() - start < 1000000000ll) k++;
  out[blockIdx.x * n + threadIdx.x] = in[wrong ? 4096 + k : threadIdx.x] + (k > 0);
}

// waits_long_enough: grid 2 block 32; finds device-assert
PAIR(waits_long_enough) {
  volatile int* const flag = work;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    unsigned it = in[1];
    for (int k = 0; k < 20000; ++k) it = it * 1664525u + 1013904223u;
    out[1] = it;
    if (!wrong) *flag = 1;
    return;
  }
  const long long start = clock64();
  int k = 0;
  while (!*flag) {
    k++;
    if (clock64() - start > 100000000) asm volatile("trap;");
  }
  out[0] = k > 0;
}

// gives_up_after_delays: grid 1 block 32; finds hang
PAIR(gives_up_after_delays) {
  volatile int* const flag = work;
  int tries = 0;
  while (*flag == 0) {
    const long long start = clock64();
    while (clock64() - start < 1000) {
    }
    if (++tries == 60 && !wrong) break;
  }
  out[threadIdx.x] = tries;
}

// delays_without_a_flag: grid 1 block 32; finds hang
PAIR(delays_without_a_flag) {
  for (int n = 0; n < 6000; wrong && n == 5000 ? n : ++n) {
    const long long start = clock64();
    while (clock64() - start < 1000) {
    }
  }
  out[threadIdx.x] = 1;
}

// later_block_sets_one_of_many: grid 2 block 32; finds hang
PAIR(later_block_sets_one_of_many) {
  volatile int* const flags = work;
  if (threadIdx.x) return;
  if (blockIdx.x == 1) {
    if (!wrong) flags[70] = 1;
    return;
  }
  int at = 0;
  while (flags[at] == 0) at = at == 79 ? 0 : at + 1;
  out[0] = at;
}

// later_block_ends_a_count: grid 2 block 32; finds global-race
PAIR(later_block_ends_a_count) {
  volatile int *const flag = work, *const polls = work + 1;
  if (threadIdx.x) return;
  if (blockIdx.x == 1) {
    if (wrong) *polls = *polls + 1;
    *flag = 1;
    return;
  }
  while (*flag == 0) *polls = *polls + 1;
}

// begins_at_a_multiple: grid 2 block 32; finds hang
PAIR(begins_at_a_multiple) {
  for (int round = 0; round < 3; ++round) {
    while (clock() % 1024 >= (wrong ? 0 : 12)) {
    }
    out[blockIdx.x * n + threadIdx.x] = round;
  }
}
