// Lanes that leave the kernel, or a loop, while others of their warp are at warp-wide instructions.
#include "tests/data/machine/soundness/pair.h"

// Lanes that leave are gone, whatever they did on their way out; but nobody can read what they would have given.

// lanes_leave_a_loop_one_by_one: grid 1 block 32; finds inactive-lane-read
PAIR(lanes_leave_a_loop_one_by_one) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    int ticket = atomicAdd(work, 1);
    if (t == 5 * k + 3) {
      out[40] = 1;
      __threadfence();
      atomicExch(out + 32 + k, ticket);
      return;
    }
    if (wrong) ticket = __shfl_sync(~0u, ticket, 3);
    __syncwarp();
    out[t] = ticket;
  }
}

// lanes_leave_a_loop_with_a_lock: grid 1 block 32; finds inactive-lane-read
PAIR(lanes_leave_a_loop_with_a_lock) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 200; ++k) {
    if (atomicCAS(work, 0, 1) == 0) {
      __threadfence();
      work[1] += 1;
      __threadfence();
      atomicExch(work, 0);
      return;
    }
    if (wrong) out[t] = __shfl_sync(~0u, t, 0);
    __syncwarp();
  }
}

// lanes_leave_a_loop_of_votes: grid 1 block 32; finds inactive-lane-read
PAIR(lanes_leave_a_loop_of_votes) {
  int value = 1;
#pragma unroll 1
  for (int k = 0; k < 200; ++k) {
    if (atomicCAS(work, 0, 1) == 0) {
      __threadfence();
      work[1] += 1;
      __threadfence();
      atomicExch(work, 0);
      return;
    }
    if (wrong) value = __shfl_sync(~0u, value + k, 0);
    value = __any_sync(~0u, value);
    if (!value) return;
  }
}

// a_lane_with_fewer_rounds: grid 1 block 32; finds inactive-lane-read
PAIR(a_lane_with_fewer_rounds) {
  const int t = threadIdx.x, rounds = 3 + in[t] % 4;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    if (wrong) sum += __shfl_xor_sync(~0u, in[t] + k, 3);
    __syncwarp();
    sum += in[k];
  }
  out[t] = sum;
}

// halves_shuffle_by_themselves: grid 1 block 32; finds inactive-lane-read
PAIR(halves_shuffle_by_themselves) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 16) {
    for (int o = 8; o; o /= 2) v += __shfl_xor_sync(wrong ? ~0u : 0xffffu, v, o);
    v *= 2;
  } else {
    for (int o = 8; o; o /= 2) v = max(v, __shfl_xor_sync(0xffff0000u, v, o));
  }
  out[t] = v;
}

// rounds_on_one_line: grid 1 block 64; finds barrier-divergence
// clang-format off
PAIR(rounds_on_one_line) { __shared__ int s[64]; const int t = threadIdx.x, rounds = 10 + (wrong ? in[t] % 2 : in[1]); int sum = 0; for (int i = 0; i < rounds; ++i) { s[t] = i + t; __syncthreads(); sum += s[(t + 1) % 64]; __syncthreads(); } out[t] = sum; }
// clang-format on

// half_a_warp_shuffles_and_leaves: grid 1 block 32; finds inactive-lane-read
PAIR(half_a_warp_shuffles_and_leaves) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t >= 16) {
    for (int o = 8; o; o /= 2) v = max(v, __shfl_xor_sync(0xffff0000u, v, o));
    atomicAdd(out + 32, v);
    return;
  }
  for (int o = 8; o; o /= 2) v += __shfl_xor_sync(wrong ? ~0u : 0xffffu, v, o);
  out[t] = v;
}

// a_tile_leaves_behind_its_own_vote: grid 1 block 32; finds inactive-lane-read
PAIR(a_tile_leaves_behind_its_own_vote) {
  const int t = threadIdx.x, tile = t / 8;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    const int ticket = atomicAdd(work + tile, 1);
    if (__any_sync(0xffu << 8 * tile, ticket >= 24 + 8 * tile)) return;
    if (wrong) out[32 + t] = __shfl_sync(~0u, ticket, 0);
    __syncwarp();
    out[t] = ticket;
  }
}
