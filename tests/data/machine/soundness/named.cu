// Named barriers, which count whoever comes: which threads meet must not be left to chance.
#include <cuda/atomic>

#include "tests/data/machine/soundness/pair.h"

#define SYNC(number, count) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory")
#define ARRIVE(number, count) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(count) : "memory")

// two_pairs_of_warps: grid 1 block 128; finds barrier-divergence
PAIR(two_pairs_of_warps) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  SYNC(wrong ? 1 : 1 + t / 64, 64);
  out[t] = s[t ^ 63];
}

// three_warps_where_two_are_counted: grid 1 block 96; finds barrier-divergence
PAIR(three_warps_where_two_are_counted) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = in[t];
  SYNC(1, wrong ? 64 : 96);
  out[t] = s[95 - t];
}

// four_warps_where_three_are_counted: grid 1 block 128; finds barrier-divergence or shared-race
PAIR(four_warps_where_three_are_counted) {
  __shared__ int s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    if (warp == 0) s[lane] = in[round * 32 + lane];
    SYNC(1, wrong ? 96 : 128);
    out[(round * 4 + warp) * 32 + lane] = s[31 - lane];
    SYNC(2, 128);
  }
}

// a_producer_runs_ahead: grid 1 block 64; finds barrier-divergence or shared-race
PAIR(a_producer_runs_ahead) {
  __shared__ int s[2][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int round = 0; round < 2; ++round) {
    if (warp == 0) {
      s[round][lane] = in[round * 32 + lane];
      ARRIVE(1, 64);
      if (!wrong) SYNC(2, 64);
    } else {
      SYNC(1, 64);
      out[round * 32 + lane] = s[round][31 - lane];
      if (!wrong) ARRIVE(2, 64);
    }
  }
}

// two_producers_take_turns: grid 1 block 96; finds barrier-divergence or shared-race
PAIR(two_producers_take_turns) {
  __shared__ int s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int round = 0; round < 4; ++round) {
    if (warp == 2) {
      SYNC(1 + (wrong ? 0 : round % 2), 64);
      out[round * 32 + lane] = s[31 - lane];
      SYNC(3, 96);
    } else {
      if (round % 2 == warp) {
        s[lane] = in[round * 32 + lane];
        ARRIVE(1 + (wrong ? 0 : warp), 64);
      } else if (wrong) {
        ARRIVE(1, 64);
      }
      SYNC(3, 96);
    }
  }
}

// Two groups of warps that do something by turns, as attention kernels do with their products.
// one_group_after_the_other: grid 1 block 128; finds barrier-divergence or shared-race
PAIR(one_group_after_the_other) {
  __shared__ int sum[64];
  const int group = threadIdx.x / 64, t = threadIdx.x % 64;
  if (group == 0) sum[t] = 0;
  __syncthreads();
  if (group == 1) ARRIVE(1, 128);
  for (int round = 0; round < 3; ++round) {
    SYNC(wrong ? 1 : 1 + group, 128);
    sum[63 - t] += in[t] + group;
    if (round < 2 || group == 0) ARRIVE(wrong ? 1 : 2 - group, 128);
  }
  __syncthreads();
  if (group == 0) out[t] = sum[t];
}

// the_second_meeting_is_announced: grid 1 block 96; finds barrier-divergence
PAIR(the_second_meeting_is_announced) {
  __shared__ int s[96], announced;
  const int t = threadIdx.x, warp = t / 32;
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(announced);
  if (t == 0) announced = 0;
  s[t] = in[t];
  __syncthreads();
  if (warp < 2) {
    if (wrong && t == 0) flag.store(1, cuda::memory_order_release);
    SYNC(1, 64);
    s[t] += s[63 - t];
    if (!wrong && t == 0) flag.store(1, cuda::memory_order_release);
  }
  if (warp == 2) {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    __syncwarp();
  }
  if (warp != 1) SYNC(1, 64);
  out[t] = warp;
}

// Meetings of other numbers of threads at one barrier, each after the one before.
// a_barrier_is_used_again: grid 1 block 128; finds barrier-divergence
PAIR(a_barrier_is_used_again) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t < 64) SYNC(1, 64);
  const int first = t < 64 ? s[63 - t] : 0;
  if (!wrong) __syncthreads();
  if (t >= 64) SYNC(1, 64);
  out[t] = t < 64 ? first : s[191 - t];
}

// Who has left is not among those that are counted, unless it arrives first.
template <class First, class Then>
static __device__ __forceinline__ void leaves_before_others_meet(bool arrives, First first, Then then) {
  if (threadIdx.x < 32) {
    first();
    if (arrives) ARRIVE(1, 96);
    return;
  }
  SYNC(1, arrives ? 96 : 64);
  then();
}

// a_warp_leaves_before_others_meet: grid 1 block 96; finds shared-race
PAIR(a_warp_leaves_before_others_meet) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  leaves_before_others_meet(!wrong, [&] { s[t] = in[t]; }, [&] { out[t] = s[t % 32]; });
}

// a_warp_reads_and_leaves_before_others_meet: grid 1 block 96; finds global-race
PAIR(a_warp_reads_and_leaves_before_others_meet) {
  const int t = threadIdx.x;
  const auto write = [&] {
    if (t >= 64) work[t - 64] = 1;
  };
  leaves_before_others_meet(!wrong, [&] { out[t] = work[t]; }, write);
}
