// Threads that leave the kernel while others wait at a barrier: those that returned early, and those that went round
// it.
#include "tests/data/machine/soundness/pair.h"

template <bool wrong>
static __device__ __noinline__ int reversed_or_none(const int* in, int* s, int count) {
  const int t = threadIdx.x;
  if (t >= count) return -1;
  s[t] = in[t];
  if (!wrong) __syncthreads();
  const int value = s[count - 1 - t];
  __syncthreads();
  return value;
}

// code_of_an_early_return: grid 1 block 64; finds shared-race
PAIR(code_of_an_early_return) {
  __shared__ int s[64];
  const int value = reversed_or_none<wrong>(in, s, 40 + (work[0] & 1));
  if (value < 0) return;
  out[threadIdx.x] = value;
}

// code_that_is_used: grid 1 block 64; finds barrier-divergence
PAIR(code_that_is_used) {
  __shared__ int s[64];
  const int value = reversed_or_none<false>(in, s, 40 + (work[0] & 1));
  if (!wrong && value < 0) return;
  out[threadIdx.x] = value;
}

// code_in_a_loop: grid 1 block 64; finds barrier-divergence
PAIR(code_in_a_loop) {
  __shared__ int s[64];
  for (int k = 0; k < 4 + work[0]; ++k) {
    const int value = reversed_or_none<false>(in, s, 60 - 8 * k);
    if (value < 0) {
      if (wrong) break;
      return;
    }
    out[threadIdx.x] += value;
  }
  out[64 + threadIdx.x] = 1;
}

// codes_of_two_calls: grid 1 block 64; finds shared-race
PAIR(codes_of_two_calls) {
  __shared__ int s[64];
  if (reversed_or_none<wrong>(in, s, 50 + work[0]) < 0) return;
  if (reversed_or_none<false>(in, s, 40 + work[0]) < 0) return;
  out[threadIdx.x] = 1;
}

// leaves_after_a_barrier_of_a_loop: grid 1 block 64; finds barrier-divergence
PAIR(leaves_after_a_barrier_of_a_loop) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    s[t] = in[t];
    __syncthreads();
    const int value = s[63 - t];
    __syncthreads();
    if (value == k) {
      if (wrong) break;
      return;
    }
    out[t] += value;
  }
  out[64 + t] = 1;
}

// last_words_inside_of_a_loop: grid 1 block 64; finds shared-race
PAIR(last_words_inside_of_a_loop) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    s[t] = in[t];
    __syncthreads();
    const int value = s[63 - t];
    if (!wrong) __syncthreads();
    if (value == k) {
      out[t] = -1;
      return;
    }
    out[t] += value;
  }
  out[64 + t] = 1;
}

// tree_with_the_barrier_in_its_branch: grid 1 block 64; finds barrier-divergence
PAIR(tree_with_the_barrier_in_its_branch) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int half = n / 2; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
      if (wrong) __syncthreads();
    }
    if (!wrong) __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// unrolled_tree_with_the_barrier_in_its_branch: grid 1 block 64; finds barrier-divergence
PAIR(unrolled_tree_with_the_barrier_in_its_branch) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
#pragma unroll
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
      if (wrong) __syncthreads();
    }
    if (!wrong) __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// unrolled_tree_of_shuffles_in_its_branch: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(unrolled_tree_of_shuffles_in_its_branch) {
  const int lane = threadIdx.x;
  int sum = in[lane];
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    if (wrong) {
      if (lane < half) sum += __shfl_down_sync(~0u, sum, half);
    } else {
      sum += __shfl_down_sync(~0u, sum, half);
    }
  }
  if (lane == 0) out[0] = sum;
}

// a_code_of_a_warp: grid 1 block 32; finds inactive-lane-read or barrier-divergence
static __device__ __noinline__ int sum_or_none(const int* in) {
  if (threadIdx.x >= 20) return -1;
  return __reduce_add_sync(~0u, in[threadIdx.x]);
}
PAIR(a_code_of_a_warp) {
  const int value = sum_or_none(in);
  if (!wrong && value < 0) return;
  out[threadIdx.x] = value;
}

// out_of_a_loop_that_is_also_left: grid 1 block 64; finds barrier-divergence
PAIR(out_of_a_loop_that_is_also_left) {
  const int t = threadIdx.x;
  for (int at = t;; at += 64) {
    if (at >= 40 + work[0]) {
      if (wrong) break;
      return;
    }
    __syncthreads();
    out[t] = in[at];
    if (at >= 20) return;
  }
  out[t] = 3;
}

// returns_at_the_end_of_a_loop: grid 1 block 64; finds barrier-divergence
PAIR(returns_at_the_end_of_a_loop) {
  const int t = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    if (k >= n - t) {
      if (wrong) break;
      return;
    }
    __syncthreads();
    out[t] = in[t] + k;
  }
  if (wrong) out[64 + t] = 1;
}

// works_behind_a_loop: grid 1 block 64; finds barrier-divergence or shared-race
PAIR(works_behind_a_loop) {
  __shared__ int s[64];
  const int t = threadIdx.x, step = wrong ? 48 : 64;
  for (int at = t; at < 128; at += step) {
    s[t] = in[at];
    __syncthreads();
    out[t] = s[63 - t];
    __syncthreads();
  }
  if (t == 0)
    out[64] = s[t];
  else if (t == 63)
    out[65] = t;
}

// a_code_that_ends_a_loop: grid 1 block 64; finds barrier-divergence
PAIR(a_code_that_ends_a_loop) {
  __shared__ int s[64];
  int code = 0;
  for (int k = 0; k < 2 + work[0] && code >= 0; ++k) code = reversed_or_none<false>(in, s, 40 + work[0]);
  if (!wrong && code < 0) return;
  out[threadIdx.x] = code;
}

struct Row {
  bool is_there;
  int value;
};

__device__ __noinline__ Row row_of(const int* in, int t, int rows) {
  Row row;
  row.is_there = false;
  row.value = 0;
  if (t >= rows) return row;
  __syncthreads();
  row.is_there = true;
  row.value = in[t];
  return row;
}

// a_struct_says_that_it_returned: grid 1 block 64; finds barrier-divergence
PAIR(a_struct_says_that_it_returned) {
  const int t = threadIdx.x;
  const Row row = row_of(in, t, 50);
  if (!wrong && !row.is_there) return;
  out[t] = row.value;
}

__device__ __noinline__ void fill(Row& row, const int* in, int t, int rows) {
  row.is_there = t < rows;
  if (!row.is_there) return;
  __syncthreads();
  row.value = in[t];
}

// a_struct_is_filled_by_reference: grid 1 block 64; finds barrier-divergence or uninitialized-read
PAIR(a_struct_is_filled_by_reference) {
  const int t = threadIdx.x;
  Row row;
  fill(row, in, t, 50);
  if (wrong || row.is_there) out[t] = row.value;
}

// barriers_inside_of_a_branch: grid 1 block 64; finds barrier-divergence
PAIR(barriers_inside_of_a_branch) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = 1;
    if (wrong) __syncthreads();
    if (wrong) __syncthreads();
  }
  s[t] = 2;
  __syncthreads();
  const int value = s[63 - t];
  __syncthreads();
  out[t] = value;
}

// a_round_without_its_barriers: grid 1 block 64; finds barrier-divergence
PAIR(a_round_without_its_barriers) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int round = 0; round < 3; ++round) {
    if (wrong && round == 1 && t >= 32) continue;
    s[t] = round;
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// Warps with work of their own meet at barriers of their own, as many as the others have, or until they leave.
// roles_that_meet: grid 1 block 96; finds barrier-divergence or shared-race
PAIR(roles_that_meet) {
  __shared__ int s[64];
  const int t = threadIdx.x, role = t / 32;
  if (role == 0) {
    for (int k = 0; k < 2; ++k) {
      s[t] = in[t] + k;
      __syncthreads();
      if (!wrong || k == 0) __syncthreads();
    }
  } else if (role == 1) {
    int sum = 0;
    for (int k = 0; k < 2; ++k) {
      __syncthreads();
      sum += s[t - 32];
      __syncthreads();
    }
    out[t] = sum;
  } else {
    __syncthreads();
    out[t] = s[t - 64];
    return;
  }
  if (wrong) __syncthreads();
  if (wrong && role == 0) out[t] = s[t];
}

// roles_that_change: grid 1 block 64; finds shared-race
PAIR(roles_that_change) {
  __shared__ int s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    if (warp == k % 2) {
      s[lane] = in[lane] + k;
      __syncthreads();
    } else {
      __syncthreads();
      out[k * 32 + lane] = s[31 - lane];
    }
    if (!wrong) __syncthreads();
  }
}

// Of a store before an early return and one behind the barrier compilers make one, behind it.
// stores_that_are_merged: grid 1 block 64; finds shared-race or barrier-divergence; warns barrier-divergence
PAIR(stores_that_are_merged) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (!wrong) __syncthreads();
  if (t >= 40) {
    out[t] = -1;
    return;
  }
  const int value = s[63 - t];
  __syncthreads();
  out[t] = value;
}

// last_words_of_an_endless_loop: grid 1 block 128; finds shared-race or barrier-divergence; warns barrier-divergence
PAIR(last_words_of_an_endless_loop) {
  __shared__ int s[128];
  const int t = threadIdx.x, last = in[t] / 32;
  for (int k = 0;; ++k) {
    s[t] = k + in[t];
    __syncthreads();
    const int value = s[t ^ 1];
    if (!wrong) __syncthreads();
    if (k == last) {
      out[t] = value;
      return;
    }
  }
}

// codes_that_are_told: grid 1 block 64; finds shared-race or barrier-divergence; warns barrier-divergence
PAIR(codes_that_are_told) {
  __shared__ int s[64];
  const int value = reversed_or_none<wrong>(in, s, 40 + (work[0] & 1));
  if (value < 0) {
    out[threadIdx.x] = value;
    return;
  }
  out[threadIdx.x] = value + 1;
}

// a_warp_says_why_it_left: grid 1 block 32; finds inactive-lane-read; warns inactive-lane-read
PAIR(a_warp_says_why_it_left) {
  const int t = threadIdx.x;
  if (!wrong && t >= 20) {
    out[t] = -1;
    return;
  }
  int sum = 0;
  if (!wrong || t < 20) sum = __reduce_add_sync(~0u, in[t]);
  if (wrong && t >= 20) atomicAdd(work, 1);
  out[t] = sum;
}

// In the source of the next ones nobody returns, so that who only stores behind the barrier went round it.
// some_meet_and_all_store: grid 1 block 64; finds barrier-divergence
PAIR(some_meet_and_all_store) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int value = in[t];
  s[t] = value;
  if (!wrong) __syncthreads();
  if (t < 32) {
    if (wrong) __syncthreads();
    value += s[31 - t];
  }
  out[t] = value;
}

// odd_threads_meet: grid 1 block 64; finds barrier-divergence
PAIR(odd_threads_meet) {
  const int t = threadIdx.x;
  int value = in[t];
  if (!wrong) __syncthreads();
  if (in[t] & 1) {
    if (wrong) __syncthreads();
    value += 1;
  }
  out[t] = value;
}

// a_round_more_for_some: grid 1 block 64; finds barrier-divergence
PAIR(a_round_more_for_some) {
  __shared__ int s[64];
  const int t = threadIdx.x, rounds = 3;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    s[t] = in[t] + k;
    if (wrong && k == 2 && t >= 40) break;
    __syncthreads();
    sum += s[t];
  }
  out[t] = sum;
}

// some_shuffle_and_all_store: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(some_shuffle_and_all_store) {
  const int t = threadIdx.x;
  int value = in[t], other = 0;
  if (!wrong) other = __shfl_xor_sync(~0u, value, 1);
  if (t < 20) {
    if (wrong) other = __shfl_xor_sync(~0u, value, 1);
    value += other;
  }
  out[t] = value;
}

// barrier_in_one_arm: grid 1 block 128; finds barrier-divergence
PAIR(barrier_in_one_arm) {
  const int t = threadIdx.x;
  if (!wrong) __syncthreads();
  if (t < in[50]) {
    if (wrong) __syncthreads();
    out[t] = 1;
  } else {
    atomicAdd(out + 128, 1);
  }
}

// a_tile_that_its_last_rows_fill_elsewhere: grid 2 block 128; finds barrier-divergence
PAIR(a_tile_that_its_last_rows_fill_elsewhere) {
  __shared__ int s[128];
  const int t = threadIdx.x, i = blockIdx.x * n + t;
  if (wrong) {
    if (i < in[200]) {
      s[t] = in[i];
      __syncthreads();
      out[i] = s[127 - t];
    } else {
      s[t] = 0;
    }
  } else {
    s[t] = i < in[200] ? in[i] : 0;
    __syncthreads();
    if (i < in[200]) out[i] = s[127 - t];
  }
}

// warps_with_work_of_their_own: grid 1 block 128; finds barrier-divergence
PAIR(warps_with_work_of_their_own) {
  const int t = threadIdx.x;
  int sum = in[t];
  if (wrong ? t < 64 : in[64] == 64) {
    __syncthreads();
    out[t] = sum;
  } else {
    for (int k = 0; k < in[5]; ++k) sum += in[k + t];
    out[n + t] = sum;
  }
}

// rows_past_the_end_do_nothing: grid 1 block 64; finds barrier-divergence
PAIR(rows_past_the_end_do_nothing) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  out[t] = 7;
  if (t < in[40]) {
    s[t] = in[t];
    __syncthreads();
    out[t] = s[39 - t];
  } else if (wrong) {
    work[t] = 1;
  }
}
