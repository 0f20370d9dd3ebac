// What orders accesses of different blocks: fences, release and acquire, and their scopes.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "tests/data/machine/soundness/pair.h"

static __device__ __forceinline__ int peek(const int* at) { return *(const volatile int*)at; }
static __device__ __forceinline__ void poke(int* at, int value) { *(volatile int*)at = value; }

// last_block_reduction: grid 8 block 32; finds global-race; lacks release
PAIR(last_block_reduction) {
  __shared__ bool last;
  const int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) {
    work[64 + b] = in[b];
    if (!wrong) __threadfence();
    last = atomicInc((unsigned*)&work[0], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t < (int)gridDim.x) {
    __threadfence();
    out[t] = work[64 + t];
  }
}

// last_block_with_a_ticket: grid 8 block 32; finds global-race; lacks release
PAIR(last_block_with_a_ticket) {  // as in NVIDIA's sample: no fence behind the atomic
  __shared__ bool last;
  const int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) work[64 + b] = in[b];
  if (!wrong) __threadfence();
  if (t == 0) last = atomicInc((unsigned*)&work[0], gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __shared__ volatile int sums[32];
  sums[t] = t < (int)gridDim.x ? work[64 + t] : 0;
  __syncwarp();
  out[t] = sums[(t + 1) % 32];
  if (t == 0) work[64] = 0;
}

// last_block_behind_one_that_looked: grid 4 block 32; finds global-race; lacks acquire
PAIR(last_block_behind_one_that_looked) {  // a cache may still have what that saw
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < (int)gridDim.x; ++i) out[64 + i] = work[64 + i];
    __threadfence();
    poke(&work[1], 1);
  } else {
    while (!peek(&work[1])) {}
    __threadfence();
  }
  work[64 + blockIdx.x] = in[blockIdx.x];
  __threadfence();
  if (atomicAdd(&work[0], 1) != (int)gridDim.x - 1) return;
  if (!wrong) __threadfence();
  for (int i = 0; i < (int)gridDim.x; ++i) out[i] = work[64 + i];
}

// last_block_that_peeks: grid 4 block 32; finds global-race; lacks acquire
PAIR(last_block_that_peeks) {
  if (threadIdx.x != 0) return;
  work[64 + blockIdx.x] = in[blockIdx.x];
  __threadfence();
  atomicAdd(&work[0], 1);
  if (blockIdx.x != 0) return;
  while (peek(&work[0]) != (int)gridDim.x) {}
  if (!wrong) __threadfence();
  for (int i = 0; i < (int)gridDim.x; ++i) out[i] = work[64 + i];
}

#define MESSAGE(name, publish, receive)                          \
  PAIR(name) {                                                   \
    if (threadIdx.x != 0) return;                                \
    if (blockIdx.x == 0) {                                       \
      work[64] = 42;                                             \
      publish;                                                   \
    } else {                                                     \
      receive;                                                   \
      out[0] = work[64];                                         \
    }                                                            \
  }

// volatile_message: grid 2 block 32; finds global-race; lacks release
MESSAGE(volatile_message, if (!wrong) __threadfence(); poke(&work[0], 1), while (!peek(&work[0])) {} __threadfence())
// volatile_message_without_acquire: grid 2 block 32; finds global-race; lacks acquire
MESSAGE(volatile_message_without_acquire, __threadfence(); poke(&work[0], 1), while (!peek(&work[0])) {} if (!wrong) __threadfence())
// message_fenced_for_the_block: grid 2 block 32; finds global-race; lacks device
MESSAGE(message_fenced_for_the_block, if (wrong) __threadfence_block(); else __threadfence(); poke(&work[0], 1), while (!peek(&work[0])) {} __threadfence())
// message_received_for_the_block: grid 2 block 32; finds global-race; lacks device
MESSAGE(message_received_for_the_block, __threadfence(); poke(&work[0], 1), while (!peek(&work[0])) {} if (wrong) __threadfence_block(); else __threadfence())
// message_fenced_for_the_system: grid 2 block 32; finds global-race; lacks release
MESSAGE(message_fenced_for_the_system, if (!wrong) __threadfence_system(); poke(&work[0], 1), while (!peek(&work[0])) {} __threadfence_system())
// message_with_a_plain_flag: grid 2 block 32; finds global-race
MESSAGE(message_with_a_plain_flag, __threadfence(); if (wrong) work[0] = 1; else poke(&work[0], 1), while (!peek(&work[0])) {} __threadfence())
// fence_after_the_flag: grid 2 block 32; finds global-race; lacks release
MESSAGE(fence_after_the_flag, if (!wrong) __threadfence(); poke(&work[0], 1); __threadfence(), while (!peek(&work[0])) {} __threadfence())
// atomic_flag: grid 2 block 32; finds global-race; lacks release
MESSAGE(atomic_flag, if (!wrong) __threadfence(); atomicExch(&work[0], 1), while (!atomicAdd(&work[0], 0)) {} __threadfence())
// flag_of_the_block: grid 2 block 32; finds global-race; lacks device
MESSAGE(flag_of_the_block, __threadfence(); if (wrong) atomicExch_block(&work[0], 1); else atomicExch(&work[0], 1), while (!atomicAdd(&work[0], 0)) {} __threadfence())

#define REF(scope) cuda::atomic_ref<int, cuda::thread_scope_##scope>(work[0])
#define REF_AT(index) cuda::atomic_ref<int, cuda::thread_scope_device>(work[index])
// release_and_acquire: grid 2 block 32; finds global-race; lacks release
MESSAGE(release_and_acquire, REF(device).store(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release), while (!REF(device).load(cuda::memory_order_acquire)) {})
// release_and_relaxed: grid 2 block 32; finds global-race; lacks acquire
MESSAGE(release_and_relaxed, REF(device).store(1, cuda::memory_order_release), while (!REF(device).load(wrong ? cuda::memory_order_relaxed : cuda::memory_order_acquire)) {})
// release_in_the_system: grid 2 block 32; finds global-race; lacks release
MESSAGE(release_in_the_system, REF(system).store(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release), while (!REF(system).load(cuda::memory_order_acquire)) {})
// release_in_the_block: grid 2 block 32; finds global-race; lacks device
MESSAGE(release_in_the_block, if (wrong) REF(block).store(1, cuda::memory_order_release); else REF(device).store(1, cuda::memory_order_release), while (!REF(device).load(cuda::memory_order_acquire)) {})
// sequentially_consistent: grid 2 block 32; finds global-race; lacks release
MESSAGE(sequentially_consistent, REF(device).store(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_seq_cst), while (!REF(device).load(cuda::memory_order_seq_cst)) {})
// fence_of_the_library: grid 2 block 32; finds global-race; lacks release
MESSAGE(fence_of_the_library, if (!wrong) cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device); REF(device).store(1, cuda::memory_order_relaxed), while (!REF(device).load(cuda::memory_order_relaxed)) {} cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device))
// updated_by_release: grid 2 block 32; finds global-race; lacks release
MESSAGE(updated_by_release, REF(device).fetch_add(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release), while (!REF(device).load(cuda::memory_order_acquire)) {})
// release_and_then_relaxed: grid 2 block 32; finds global-race; lacks release
MESSAGE(release_and_then_relaxed, REF(device).store(2, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release); REF(device).store(1, cuda::memory_order_relaxed), while (REF(device).load(cuda::memory_order_acquire) != 1) {})
// release_elsewhere_and_then_relaxed: grid 2 block 32; finds global-race; lacks release
MESSAGE(release_elsewhere_and_then_relaxed, REF_AT(wrong ? 1 : 0).store(2, cuda::memory_order_release); REF(device).store(1, cuda::memory_order_relaxed), while (REF(device).load(cuda::memory_order_acquire) != 1) {})

// acquired_behind_what_was_seen: grid 3 block 32; finds global-race; lacks acquire
PAIR(acquired_behind_what_was_seen) {  // a third thread overwrites what was seen before it is acquired
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(work[0]);
  if (blockIdx.x == 0) {
    work[64] = 42;
    flag.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (!peek(&work[1])) {}
    flag.store(2, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) != 1) {}
    poke(&work[1], 1);
    while (flag.load(cuda::memory_order_relaxed) != 2) {}
    if (!wrong) flag.load(cuda::memory_order_acquire);
    out[0] = work[64];
  }
}

// chain_of_updates: grid 3 block 32; finds global-race; lacks release and acquire
PAIR(chain_of_updates) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(work[0]);
  if (blockIdx.x == 0) {
    work[64] = 42;
    flag.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    int one = 1;
    if (wrong) {
      while (flag.load(cuda::memory_order_relaxed) != 1) {}
      flag.store(2, cuda::memory_order_relaxed);
    } else {
      while (!flag.compare_exchange_weak(one, 2, cuda::memory_order_relaxed)) one = 1;
    }
  } else {
    while (flag.load(cuda::memory_order_acquire) != 2) {}
    out[0] = work[64];
  }
}

// through_a_third: grid 3 block 32; finds global-race; lacks acquire
PAIR(through_a_third) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> first(work[0]), second(work[1]);
  if (blockIdx.x == 0) {
    work[64] = 42;
    first.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (!first.load(wrong ? cuda::memory_order_relaxed : cuda::memory_order_acquire)) {}
    second.store(1, cuda::memory_order_release);
  } else {
    while (!second.load(cuda::memory_order_acquire)) {}
    out[0] = work[64];
  }
}

// published_for_the_whole_block: grid 2 block 64; finds global-race
PAIR(published_for_the_whole_block) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    work[64 + t] = in[t];
    if (!wrong) __syncthreads();
    if (t == 0) {
      __threadfence();
      poke(&work[0], 1);
    }
  } else {
    if (t == 0) {
      while (!peek(&work[0])) {}
      __threadfence();
    }
    __syncthreads();
    out[t] = work[64 + 63 - t];
  }
}

// received_by_one_of_the_block: grid 2 block 64; finds global-race
PAIR(received_by_one_of_the_block) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    work[64 + t] = in[t];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      poke(&work[0], 1);
    }
  } else {
    if (t == 0) {
      while (!peek(&work[0])) {}
      __threadfence();
    }
    if (!wrong) __syncthreads();
    if (t < 32 || !wrong || peek(&work[0])) out[t] = work[64 + t];
  }
}

// atomics_of_the_block: grid 2 block 32; finds global-race; lacks device
PAIR(atomics_of_the_block) {
  if (wrong) atomicAdd_block(&out[0], 1);
  else atomicAdd(&out[0], 1);
}

// atomics_of_one_block_each: grid 2 block 64; finds global-race; lacks device
PAIR(atomics_of_one_block_each) { atomicAdd_block(&out[wrong ? 0 : blockIdx.x], in[threadIdx.x]); }

// plain_reads_of_atomics: grid 4 block 32; finds global-race
PAIR(plain_reads_of_atomics) {
  atomicAdd(&work[0], 1);
  out[blockIdx.x * n + threadIdx.x] = wrong ? work[0] : work[1 + threadIdx.x];
}

// volatile_reads_of_atomics: grid 4 block 32; finds global-race
PAIR(volatile_reads_of_atomics) {
  atomicAdd(&work[0], 1);
  out[blockIdx.x * n + threadIdx.x] = (wrong ? work[0] : peek(&work[0])) >= 0;
}

// plain_write_beside_atomics: grid 2 block 32; finds global-race
PAIR(plain_write_beside_atomics) {
  if (wrong ? threadIdx.x == 5 : false) work[0] = 7;
  atomicMax(&work[0], in[threadIdx.x]);
}

// histogram: grid 4 block 64; finds global-race
PAIR(histogram) {
  const int bin = in[blockIdx.x * n + threadIdx.x] % 10;
  if (wrong) out[bin] += 1;
  else atomicAdd(&out[bin], 1);
}

// semaphore_of_one: grid 3 block 32; finds global-race; lacks acquire
PAIR(semaphore_of_one) {
  if (threadIdx.x != 0) return;
  auto& free = *reinterpret_cast<cuda::std::atomic<int>*>(&work[0]);
  cuda::atomic_ref<int, cuda::thread_scope_device> taken(work[0]);
  (void)free;
  int none = 0;
  while (!taken.compare_exchange_strong(none, 1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_acquire)) none = 0;
  out[0] += 1;
  taken.store(0, cuda::memory_order_release);
}

// reader_of_a_sequence: grid 2 block 32; finds global-race
PAIR(reader_of_a_sequence) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> sequence(work[0]), value(work[64]);
  if (blockIdx.x == 0) {
    sequence.store(1, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    if (wrong) work[64] = 9;
    else value.store(9, cuda::memory_order_relaxed);
    sequence.store(2, cuda::memory_order_release);
  } else {
    const int before = sequence.load(cuda::memory_order_acquire);
    const int seen = value.load(cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = wrong || before == sequence.load(cuda::memory_order_relaxed) ? seen : -1;
  }
}

// launch_after_launch: grid 4 block 32; finds global-race
PAIR(launch_after_launch) {
  const int i = blockIdx.x * n + threadIdx.x;
  work[i] = in[i];
  out[i] = work[wrong ? (i + 32) % 128 : i];
}

// all_fence_and_one_signals: grid 4 block 64; finds global-race; lacks release
PAIR(all_fence_and_one_signals) {
  __shared__ bool last;
  const int t = threadIdx.x, b = blockIdx.x;
  work[64 + b * n + t] = in[t] + b;
  if (!wrong) __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(&work[0], 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  int sum = 0;
  for (int i = 0; i < (int)gridDim.x; ++i) sum += work[64 + i * n + t];
  out[t] = sum;
}

// loads_that_are_not_coherent: grid 2 block 32; finds global-race
PAIR(loads_that_are_not_coherent) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    work[64] = in[7];
    __threadfence();
    poke(&work[0], 1);
  } else {
    while (!peek(&work[0])) {}
    __threadfence();
    out[0] = wrong ? __ldg(&work[64]) : work[64];
  }
}

// atomics_of_two_widths: grid 2 block 32; finds global-race
PAIR(atomics_of_two_widths) {
  if (wrong && (threadIdx.x & 1)) atomicAdd(reinterpret_cast<unsigned long long*>(work), 1ull);
  else atomicAdd(&work[threadIdx.x & 1 ? 2 : 0], 1);
}

// noncoherent_load_in_place: grid 2 block 64; finds global-race
PAIR(noncoherent_load_in_place) {
  const int i = blockIdx.x * n + threadIdx.x;
  int* const at = work + i;
  int before;
  if (!wrong) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(before) : "l"(at));
  *(volatile int*)at = in[i];
  if (wrong) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(before) : "l"(at));
  out[i] = before;
}
// noncoherent_load_behind_a_barrier: grid 2 block 64; finds global-race
PAIR(noncoherent_load_behind_a_barrier) {
  const int first = blockIdx.x * n, t = threadIdx.x;
  work[first + t] = in[first + t];
  __syncthreads();
  const int* const at = work + first + (t + 1) % n;
  int value;
  if (wrong) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  else asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  out[first + t] = value;
}
// noncoherent_load_in_the_next_round: grid 1 block 32; finds global-race
PAIR(noncoherent_load_in_the_next_round) {
  const int t = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    const int* const at = wrong ? work + t : work + round * n + t;
    int value;
    asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    *(volatile int*)at = value + in[t] + 1;
  }
  out[t] = *(volatile int*)(work + t);
}
// noncoherent_load_after_a_message: grid 2 block 32; finds global-race
PAIR(noncoherent_load_after_a_message) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    work[64] = 42;
    __threadfence();
    poke(&work[0], 1);
    return;
  }
  while (!peek(&work[0])) {}
  __threadfence();
  int value;
  if (wrong) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(work + 64) : "memory");
  else value = *(volatile int*)(work + 64);
  out[0] = value;
}
// noncoherent_load_of_ones_own_after_an_atomic: grid 2 block 32; finds global-race
PAIR(noncoherent_load_of_ones_own_after_an_atomic) {
  const int i = blockIdx.x * n + threadIdx.x;
  atomicAdd(&work[64 + i], in[i]);
  __threadfence();
  atomicAdd(&work[0], 1);
  int value;
  if (wrong) asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(work + 64 + i) : "memory");
  else asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(work + 64 + i) : "memory");
  out[i] = value;
}

// An atomic that leaves what it reads is a look at it, and no ticket.
template <class Look>
static __device__ __forceinline__ void looked_at(int* out, int* work, int n, bool fences, Look look) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    work[t] = t * 3;
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicExch(work + 1000, 1);
    }
  } else {
    if (t == 0) {
      while (look(work + 1000) == 0) {
      }
      if (fences) __threadfence();
    }
    __syncthreads();
    out[t] = work[t];
  }
}

// looked_at_by_an_addition: grid 2 block 96; finds global-race; lacks acquire
PAIR(looked_at_by_an_addition) {
  looked_at(out, work, n, !wrong, [](int* at) { return atomicAdd(at, 0); });
}

// looked_at_by_bits: grid 2 block 96; finds global-race; lacks acquire
PAIR(looked_at_by_bits) {
  looked_at(out, work, n, !wrong, [](int* at) { return atomicOr(at, 0) & atomicAnd(at, -1); });
}

// looked_at_by_a_swap: grid 2 block 96; finds global-race; lacks acquire
PAIR(looked_at_by_a_swap) {
  looked_at(out, work, n, !wrong, [](int* at) { return atomicCAS(at, 5, 5); });
}

// looked_at_by_a_swap_that_fails: grid 2 block 96; finds global-race; lacks acquire
PAIR(looked_at_by_a_swap_that_fails) {
  looked_at(out, work, n, !wrong, [](int* at) { return atomicCAS(at, 2, 3); });
}

// looked_at_by_a_maximum: grid 2 block 96; finds global-race; lacks acquire
PAIR(looked_at_by_a_maximum) {
  looked_at(out, work, n, !wrong, [](int* at) { return atomicMax(at, 0); });
}

// taken_behind_a_look: grid 4 block 32; finds global-race; lacks acquire
PAIR(taken_behind_a_look) {  // a count that is looked at by loads, and then taken from
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 3; ++i) work[64 + i] = i + 1;
    __threadfence();
    atomicAdd(&work[0], 3);
    return;
  }
  int count = 0;
  do {
    count = peek(&work[0]);
  } while (count == 0 || atomicCAS(&work[0], count, count - 1) != count);
  if (!wrong) __threadfence();
  out[count] = work[63 + count];
}

// ticket_of_a_lane_behind_a_shuffle: grid 4 block 32; finds global-race; lacks release
PAIR(ticket_of_a_lane_behind_a_shuffle) {
  const int t = threadIdx.x;
  work[64 + blockIdx.x * 32 + t] = in[t];
  if (!wrong) __threadfence();
  __syncwarp();
  unsigned ticket = 0;
  if (t == 0) ticket = atomicInc((unsigned*)work, gridDim.x - 1);
  ticket = __shfl_sync(~0u, ticket, 0);
  if (ticket != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < 4; ++b) sum += work[64 + b * 32 + t];
  out[t] = sum;
}
