// Copies that come later, the phases of an mbarrier, and values of lanes that do not take part.
#include <cuda/barrier>

#include "tests/data/machine/soundness/pair.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

static __device__ __forceinline__ unsigned address_of(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
static __device__ __forceinline__ void copy_later(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void arrive_when_copied(Barrier& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address_of(&barrier)) : "memory");
}
static __device__ __forceinline__ bool is_over(Barrier& barrier, unsigned parity) {
  unsigned over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(over) : "r"(address_of(&barrier)), "r"(parity) : "memory");
  return over;
}
#define BARRIER(name)                            \
  __shared__ alignas(8) char name##_bytes[8];    \
  Barrier& name = *(Barrier*)name##_bytes;       \
  if (threadIdx.x == 0) init(&name, blockDim.x); \
  __syncthreads()

// copies_are_waited_for: grid 2 block 64; finds uninitialized-read
PAIR(copies_are_waited_for) {
  __shared__ int s[64];
  BARRIER(full);
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  arrive_when_copied(full);
  if (wrong) __syncthreads();
  else while (!is_over(full, 0)) {}
  out[blockIdx.x * n + t] = s[63 - t];
}

// own_copies_are_waited_for: grid 1 block 64; finds uninitialized-read
PAIR(own_copies_are_waited_for) {
  __shared__ int s[64];
  BARRIER(full);
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  arrive_when_copied(full);
  if (!wrong) while (!is_over(full, 0)) {}
  out[t] = s[t];
}

// copies_with_the_library: grid 1 block 64; finds uninitialized-read
PAIR(copies_with_the_library) {
  __shared__ int s[64];
  BARRIER(full);
  const int t = threadIdx.x;
  cuda::memcpy_async(&s[t], in + t, cuda::aligned_size_t<4>(4), full);
  auto token = full.arrive();
  if (wrong) __syncthreads();
  else full.wait(std::move(token));
  out[t] = s[t ^ 32];
}

// stored_over_a_copy: grid 1 block 64; finds shared-race
PAIR(stored_over_a_copy) {
  __shared__ int s[64];
  BARRIER(full);
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  arrive_when_copied(full);
  if (wrong) s[t] = 5;
  while (!is_over(full, 0)) {}
  if (!wrong) s[t] = 5;
  out[t] = s[t];
}

// copies_in_two_phases: grid 1 block 64; finds uninitialized-read or shared-race or hang
PAIR(copies_in_two_phases) {
  __shared__ int s[2][64];
  BARRIER(full);
  const int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    copy_later(&s[i][t], in + i * 64 + t);
    arrive_when_copied(full);
    // The second time the first phase is asked for again.
    while (!is_over(full, wrong ? 0 : i & 1)) {}
    out[i * 64 + t] = s[i][63 - t];
  }
}

// The second warp stores what the first one loads when wait(barrier) returns.
template <class Wait>
static __device__ __forceinline__ void hand_over(const int* in, int* out, Wait wait) {
  __shared__ int s[32];
  BARRIER(full);
  const int t = threadIdx.x;
  if (t >= 32) s[t - 32] = in[t];
  (void)full.arrive();
  if (t >= 32) return;
  wait(full);
  out[t] = s[t];
}

// a_wait_that_is_in_vain: grid 1 block 64; finds shared-race or uninitialized-read
PAIR(a_wait_that_is_in_vain) {
  hand_over(in, out, [](Barrier& full) {
    bool over = is_over(full, 0);
    while (!wrong && !over) over = is_over(full, 0);
  });
}

// a_wait_for_the_phase_before: grid 1 block 64; finds shared-race or uninitialized-read or hang
PAIR(a_wait_for_the_phase_before) {
  hand_over(in, out, [](Barrier& full) {
    while (!is_over(full, wrong ? 1 : 0)) {}
  });
}

// sum_of_half_a_warp: grid 2 block 16; finds inactive-lane-read
PAIR(sum_of_half_a_warp) {
  int sum = in[threadIdx.x];
  for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffu, sum, d);
  if (wrong || threadIdx.x == 0) out[blockIdx.x * n + threadIdx.x] = sum;
}

// sum_of_those_that_are_left: grid 1 block 64; finds inactive-lane-read
PAIR(sum_of_those_that_are_left) {
  const int t = threadIdx.x, lane = t % 32;
  const unsigned members = __ballot_sync(0xffffffffu, t < 52);
  if (t >= 52) return;
  int sum = in[t];
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(members, sum, d);
    if (wrong || lane + d < __popc(members)) sum += other;
  }
  out[t] = sum;
}

// fetched_and_chosen: grid 1 block 33; finds inactive-lane-read
PAIR(fetched_and_chosen) {
  const int t = threadIdx.x;
  const int next = __shfl_down_sync(__activemask(), in[t], 1);
  out[t] = t == 31 || (t == 32 && !wrong) ? 0 : next;
}

static __device__ __forceinline__ void close_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
static __device__ __forceinline__ void wait_for_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
// As many groups as that may stay open.
template <int open>
static __device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}

// source_stored_over: grid 2 block 64; finds global-race
PAIR(source_stored_over) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * n + t;
  copy_later(&s[t], work + i);
  close_group();
  if (wrong) work[i] = 9 + in[i];
  wait_for_all();
  if (!wrong) work[i] = 9 + in[i];
  out[i] = s[t];
}

// source_stored_over_behind_a_barrier: grid 1 block 64; finds global-race
PAIR(source_stored_over_behind_a_barrier) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  copy_later(&s[t], work + t);
  close_group();
  if (!wrong) wait_for_all();
  __syncthreads();
  work[63 - t] = 9 + in[t];
  __syncthreads();
  wait_for_all();
  out[t] = s[t];
}

// source_stored_over_by_others_first: grid 1 block 64; finds global-race
PAIR(source_stored_over_by_others_first) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  copy_later(&s[t], work + t);
  close_group();
  __syncthreads();
  wait_for_all();
  if (!wrong) __syncthreads();
  work[63 - t] = 9 + in[t];
  out[t] = s[t];
}

// source_stored_over_in_a_loop: grid 3 block 128; finds global-race
PAIR(source_stored_over_in_a_loop) {
  __shared__ int s[2][128];
  const int t = threadIdx.x, first = blockIdx.x * 1024 + t;
  copy_later(&s[0][t], work + first);
  close_group();
  for (int k = 0; k < 8; ++k) {
    if (k < 7) copy_later(&s[(k + 1) & 1][t], work + first + (k + 1) * 128);
    close_group();
    if (wrong && k < 7) work[first + (k + 1) * 128] = 1 + in[t];
    wait_for_groups<1>();
    out[first + k * 128] = s[k & 1][t];
    if (!wrong) work[first + k * 128] = 1 + in[t];
  }
}

// source_stored_over_where_threads_synchronise: grid 1 block 64; finds global-race
PAIR(source_stored_over_where_threads_synchronise) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 32) {
    copy_later(&s[t], work + t);
    close_group();
    if (!wrong) wait_for_all();
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    wait_for_all();
    out[t] = s[t];
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    work[t - 32] = 9 + in[t];
  }
}

// two_copies_of_one_group: grid 1 block 32; finds shared-race
PAIR(two_copies_of_one_group) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  if (!wrong) close_group(), wait_for_groups<0>();
  copy_later(&s[t], in + 32 + t);
  close_group();
  wait_for_groups<0>();
  out[t] = s[t];
}

// two_groups_to_one_place: grid 2 block 64; finds shared-race
PAIR(two_groups_to_one_place) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  close_group();
  if (!wrong) wait_for_groups<0>();
  copy_later(&s[t], in + 64 + t);
  close_group();
  wait_for_groups<0>();
  out[blockIdx.x * n + t] = s[t];
}

// the_same_copied_twice: grid 1 block 32; finds shared-race
PAIR(the_same_copied_twice) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  copy_later(&s[t], in + t);
  copy_later(&s[t], in + (wrong ? 31 - t : t));
  wait_for_all();
  out[t] = s[t];
}

// signal_before_the_copy_has_come: grid 1 block 64; finds shared-race or uninitialized-read
PAIR(signal_before_the_copy_has_come) {
  __shared__ alignas(16) int s[32];
  __shared__ volatile int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t < 32) {
    copy_later(&s[t], in + t);
    close_group();
    if (!wrong) wait_for_groups<0>();
    __syncwarp();
    if (t == 0) {
      __threadfence_block();
      ready = 1;
    }
    if (wrong) wait_for_groups<0>();
  } else {
    if (t == 32) {
      while (!ready) {}
      __threadfence_block();
    }
    __syncwarp();
    out[t] = s[t - 32];
  }
}

// copied_by_two: grid 1 block 64; finds shared-race
PAIR(copied_by_two) {
  __shared__ alignas(16) int s[32];
  const int t = threadIdx.x;
  while (*(volatile int*)work < 0) {}
  copy_later(&s[t % 32], in + (wrong ? t : t % 32));
  close_group();
  wait_for_groups<0>();
  __syncthreads();
  out[t] = s[31 - t % 32];
}

// copy_of_a_neighbour: grid 1 block 32; finds shared-race
PAIR(copy_of_a_neighbour) {
  __shared__ alignas(16) int s[32];
  const int t = threadIdx.x;
  s[t] = -1;
  __syncwarp();
  copy_later(&s[t], in + t);
  close_group();
  if (!wrong) wait_for_groups<0>();
  __syncwarp();
  out[t] = s[t ^ 1];
  wait_for_groups<0>();
}
