// What orders accesses of one block: barriers, named barriers, warps, flags and atomics in shared memory.
#include <cuda/atomic>
#include <cuda/barrier>

#include "tests/data/machine/soundness/pair.h"

#define SYNC(number, count) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory")
#define ARRIVE(number, count) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(count) : "memory")

// set_before_atomics: grid 1 block 64; finds shared-race
PAIR(set_before_atomics) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  if (!wrong) __syncthreads();
  atomicAdd(&s, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s;
}

// read_after_atomics: grid 1 block 64; finds shared-race
PAIR(read_after_atomics) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[threadIdx.x]);
  if (!wrong) __syncthreads();
  out[threadIdx.x] = s;
}

// set_again_after_atomics: grid 1 block 64; finds shared-race
PAIR(set_again_after_atomics) {
  __shared__ int s;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] += s;
    if (!wrong) __syncthreads();
  }
}

// histogram_of_a_block: grid 2 block 96; finds shared-race
PAIR(histogram_of_a_block) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  if (wrong) bins[in[t] & 15] += 1;
  else atomicAdd(&bins[in[t] & 15], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[t]);
}

// producer_overwrites_too_early: grid 1 block 64; finds shared-race or barrier-divergence
PAIR(producer_overwrites_too_early) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    if (t < 32) {
      if (i > 0 && !wrong) SYNC(2, 64);
      s[t] = in[t] + i;
      ARRIVE(1, 64);
    } else {
      SYNC(1, 64);
      out[t] += s[63 - t];
      if (i < 3 && !wrong) ARRIVE(2, 64);
    }
  }
}

// consumer_does_not_wait: grid 1 block 64; finds shared-race
PAIR(consumer_does_not_wait) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    ARRIVE(1, 64);
  } else {
    if (wrong) ARRIVE(1, 64);
    else SYNC(1, 64);
    out[t] = s[63 - t];
  }
}

// barriers_of_halves: grid 1 block 128; finds shared-race
PAIR(barriers_of_halves) {
  __shared__ int s[128];
  const int t = threadIdx.x, half = t / 64;
  s[t] = in[t];
  SYNC(1 + half, 64);
  out[t] = s[wrong ? t ^ 64 : t ^ 33];
}

// two_barriers_in_turn: grid 1 block 96; finds shared-race
PAIR(two_barriers_in_turn) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t < 64) SYNC(1, 64);
  if (t >= 32 && !wrong) SYNC(2, 64);
  if (t >= 64) out[t] = s[t - 64];
}

// volatile_flag: grid 1 block 64; finds shared-race; lacks release
PAIR(volatile_flag) {
  __shared__ volatile int flag;
  __shared__ int data;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    data = in[t + 5];
    if (!wrong) __threadfence_block();
    flag = 1;
  } else if (t == 32) {
    while (flag == 0) {}
    __threadfence_block();
    out[0] = data;
  }
}

// flag_of_the_library: grid 1 block 64; finds shared-race; lacks release
PAIR(flag_of_the_library) {
  __shared__ int flag, data;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ref(flag);
  if (t == 0) {
    data = in[t + 5];
    ref.store(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else if (t == 40) {
    while (ref.load(cuda::memory_order_acquire) == 0) {}
    out[0] = data;
  }
}

// plain_flag: grid 1 block 64; finds shared-race
PAIR(plain_flag) {
  __shared__ int flag;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ref(flag);
  if (t == 0) {
    if (wrong) flag = 1;
    else ref.store(1, cuda::memory_order_relaxed);
  }
  if (t == 32) out[0] = ref.load(cuda::memory_order_relaxed);
}

// warp_reduction_with_volatile: grid 1 block 32; finds shared-race
PAIR(warp_reduction_with_volatile) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 16; d; d /= 2) {
    __syncwarp();
    const int other = t < d ? s[t + d] : 0;
    if (!wrong) __syncwarp();
    if (t < d) s[t] += other;
    if (wrong && t >= d) s[t] = d;
  }
  __syncwarp();
  if (t == 0) out[0] = s[0];
}

// warps_share_without_barrier: grid 1 block 64; finds shared-race or uninitialized-read
PAIR(warps_share_without_barrier) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (wrong) __syncwarp();
  else __syncthreads();
  out[t] = s[t ^ 32];
}

// spin_lock_in_shared_memory: grid 1 block 96; finds shared-race; lacks release
PAIR(spin_lock_in_shared_memory) {
  __shared__ int lock, count;
  if (threadIdx.x == 0) lock = count = 0;
  __syncthreads();
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence_block();
  count += 1;
  if (!wrong) __threadfence_block();
  atomicExch(&lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

// double_buffer: grid 1 block 64; finds shared-race
PAIR(double_buffer) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  for (int i = 0; i < 6; ++i) {
    s[wrong ? 0 : i & 1][t] = in[t] + i;
    __syncthreads();
    out[t] += s[wrong ? 0 : i & 1][63 - t];
  }
}

// reduction_by_halves: grid 1 block 128; finds shared-race
PAIR(reduction_by_halves) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 64; d; d /= 2) {
    if (t < d) s[t] += s[t + d];
    if (!wrong || d > 32) __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// barrier_without_alignment: grid 1 block 32; finds shared-race
PAIR(barrier_without_alignment) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t & 1) {
    if (!wrong) asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = s[t ^ 3];
  } else {
    if (!wrong) asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = s[t ^ 2];
  }
}

// count_by_barrier: grid 1 block 64; finds shared-race
PAIR(count_by_barrier) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  const int some = wrong ? in[t] & 1 : __syncthreads_count(in[t] & 1);
  out[t] = s[63 - t] + some;
}

// one_thread_writes_for_all: grid 1 block 128; finds shared-race
PAIR(one_thread_writes_for_all) {
  __shared__ int s;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == i) s = in[i] + 3;
    __syncthreads();
    out[threadIdx.x] += s;
    if (!wrong) __syncthreads();
  }
}

// bytes_beside_each_other: grid 1 block 64; finds shared-race
PAIR(bytes_beside_each_other) {
  __shared__ unsigned char s[64];
  const int t = threadIdx.x;
  s[wrong ? t / 2 : t] = t;
  __syncthreads();
  out[t] = s[t / 2];
}

#define BARRIER(name, count)                                             \
  __shared__ alignas(8) unsigned char name##_bytes[8];                   \
  auto& name = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(name##_bytes); \
  if (threadIdx.x == 0) init(&name, count)

// barrier_object: grid 1 block 64; finds shared-race
PAIR(barrier_object) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  BARRIER(all, 64);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    s[t] = in[t] + i;
    all.arrive_and_wait();
    out[t] += s[63 - t];
    if (!wrong) all.arrive_and_wait();
  }
}

// barrier_object_with_work_between: grid 1 block 64; finds shared-race
PAIR(barrier_object_with_work_between) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  BARRIER(all, 64);
  __syncthreads();
  s[t] = in[t];
  auto token = all.arrive();
  out[t] = in[t] * 3;
  if (wrong) s[t] = in[t] + 1;
  all.wait(std::move(token));
  out[t] += s[63 - t];
}

// barrier_object_used_before_it_is_made: grid 1 block 64; finds shared-race or uninitialized-read or hang
PAIR(barrier_object_used_before_it_is_made) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  BARRIER(all, 64);
  if (!wrong) __syncthreads();
  s[t] = in[t];
  all.arrive_and_wait();
  out[t] = s[63 - t];
}

// barrier_object_that_expects_too_many: grid 1 block 64; finds hang
PAIR(barrier_object_that_expects_too_many) {
  __shared__ int s[64];
  __shared__ unsigned long long object;
  const int t = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&object);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(wrong ? 65 : 64) : "memory");
  __syncthreads();
  s[t] = in[t];
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  for (int over = 0; !over;) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at), "l"(state) : "memory");
  }
  out[t] = s[63 - t];
}

// barrier_object_of_copies: grid 1 block 64; finds shared-race or uninitialized-read
PAIR(barrier_object_of_copies) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  BARRIER(all, 64);
  __syncthreads();
  cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(4), all);
  auto token = all.arrive();
  if (!wrong) all.wait(std::move(token));
  out[t] = s[63 - t];
}

// barrier_object_that_copies_arrive_at: grid 1 block 64; finds shared-race or hang
PAIR(barrier_object_that_copies_arrive_at) {
  __shared__ int s[64];
  __shared__ unsigned long long object;
  const int t = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&object), to = (unsigned)__cvta_generic_to_shared(&s[t]);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(__cvta_generic_to_global(in + t)) : "memory");
  if (wrong)
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
  else
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  for (int over = 0; !over;) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at) : "memory");
  }
  out[t] = s[63 - t];
}

// barrier_object_of_producers: grid 1 block 64; finds shared-race
PAIR(barrier_object_of_producers) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  BARRIER(full, 64);
  __syncthreads();
  if (t < 32) {
    s[t] = in[t];
    (void)full.arrive();
  } else {
    auto token = full.arrive();
    if (!wrong) full.wait(std::move(token));
    out[t] = s[63 - t];
  }
}

// Without a result, in debug builds too.
static __device__ __forceinline__ void add_one(int* at) {
  asm volatile("red.shared.add.s32 [%0], 1;" ::"r"(unsigned(__cvta_generic_to_shared(at))) : "memory");
}

// last_to_add_reads: grid 1 block 64; finds shared-race
PAIR(last_to_add_reads) {
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  if (in[t] & 1) add_one(&count);
  if (!wrong) __syncthreads();
  if (t == 63) *out = count;
}

// each_adds_and_reads: grid 1 block 96; finds shared-race
PAIR(each_adds_and_reads) {
  __shared__ int counts[96];
  const int t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  add_one(&counts[wrong && t == 40 ? 50 : t]);
  out[t] = counts[t];
}

static __device__ __forceinline__ int sum_of_warp(int value) {
  for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// sum_is_stored_where_its_terms_were_read: grid 1 block 64; finds shared-race
PAIR(sum_is_stored_where_its_terms_were_read) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  const int sum = sum_of_warp(s[t ^ 1]);
  if (t == (wrong ? 32 : 0)) s[1] = sum;
  __syncthreads();
  out[t] = s[1] + sum;
}

// value_that_no_lane_gives_is_overwritten: grid 1 block 32; finds shared-race
PAIR(value_that_no_lane_gives_is_overwritten) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  const int read = s[t ^ 1], sum = sum_of_warp(wrong ? t : read);
  s[t] = sum;
  out[t] = read + sum;
}

// A load that stays, whether somebody uses it or not.
static __device__ __forceinline__ int read_now(const int* at) {
  int value;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(unsigned(__cvta_generic_to_shared(at))) : "memory");
  return value;
}

// read_ahead_of_the_last_round: grid 1 block 64; finds shared-race; warns shared-race
PAIR(read_ahead_of_the_last_round) {  // as in Marlin: what the last round of a tile reads ahead nobody uses
  __shared__ int s[128];
  const int t = threadIdx.x;
  int acc = 0;
  s[t] = in[t], s[n + t] = in[3 * t];
  __syncthreads();
  int next = read_now(&s[t]);
  for (int tile = 0; tile < 2; ++tile) {
    for (int left = tile + 1, pipe = 1; left > 0; --left, pipe ^= 1) {
      acc += next;
      __syncthreads();
      next = read_now(&s[n * pipe + (t ^ 32)]);
    }
    if (wrong) acc += next;
    if (tile == 0) {
      s[n + t] = acc;
      __syncthreads();
      out[t] = s[n + (t ^ 32)];
      __syncthreads();
      s[n + t] = in[3 * t];
      __syncthreads();
      next = read_now(&s[t]);
    }
  }
  out[n + t] = acc;
}

// read_ahead_without_a_barrier_between: grid 1 block 64; finds shared-race; warns shared-race
PAIR(read_ahead_without_a_barrier_between) {  // the read that nobody uses is the last one, not the one that races
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  int acc = 0, next = read_now(&s[t ^ 32]);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    if (wrong || i == 0) acc += next;
    __syncwarp();
    next = read_now(&s[t ^ 32]);
  }
  s[t] = acc;
  __syncthreads();
  out[t] = s[t];
}
