// Threads that leave, and where the others meet.
#include <cooperative_groups.h>

#include "tests/data/machine/soundness/pair.h"

// early_return: grid 1 block 64; finds shared-race
PAIR(early_return) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= 40) return;
  s[t] = in[t];
  if (!wrong) __syncthreads();
  out[t] = s[39 - t];
}

// early_return_in_loop: grid 1 block 64; finds shared-race
PAIR(early_return_in_loop) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    if (in[t] > 50 - i) return;
    s[t] = in[t] + i;
    __syncthreads();
    out[t] += s[(t + 1) % 47];
    if (!wrong) __syncthreads();
  }
}

// switch_arm_returns: grid 1 block 64; finds shared-race
PAIR(switch_arm_returns) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v;
  switch (in[t] & 3) {
    case 0:
      v = in[t] * 3;
      break;
    case 1:
      v = in[t] + 7;
      break;
    case 2:
      v = -in[t];
      break;
    default:
      if (work[t] == 5) return;
      v = 1;
  }
  s[t] = v;
  if (!wrong) __syncthreads();
  out[t] = s[63 - t];
}

// shuffle_after_leaving_arm: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(shuffle_after_leaving_arm) {
  const int t = threadIdx.x;
  int v = in[t];
  switch (v & 3) {
    case 0:
      v *= 3;
      break;
    case 1:
      v += 7;
      break;
    case 2:
      if (wrong || work[t] == 9) return;
      break;
    default:
      v -= 2;
  }
  out[t] = __shfl_xor_sync(0xffffffffu, v, 2);
}

// trap_arm: grid 1 block 96; finds shared-race
PAIR(trap_arm) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  int v = 0;
  for (int i = 0; i < 3; ++i) {
    if (in[t] < 0) __trap();
    v += (t & 1) ? in[t] : in[t + 1];
  }
  s[t] = v;
  if (!wrong) __syncthreads();
  out[t] = s[95 - t];
}

// trap_that_is_taken: grid 1 block 32; finds device-assert
PAIR(trap_that_is_taken) {
  const int t = threadIdx.x;
  if (in[t] > (wrong ? 30 : 40)) __trap();
  out[t] = in[t];
}

// ballot_after_error_arm: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(ballot_after_error_arm) {
  const int t = threadIdx.x;
  int v = in[t];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2 + (t & 1); ++j) {
      if (v < -100) {
        out[0] = v;
        return;
      }
      v += j;
    }
  }
  unsigned all = 0;
  if (!wrong || t != 7) all = __ballot_sync(0xffffffffu, v & 1);
  out[t] = all;
}

// leave_from_both_sides: grid 1 block 64; finds shared-race
PAIR(leave_from_both_sides) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  if (t & 1) {
    if (in[t] > 60) return;
    s[t] = in[t];
  } else {
    if (in[t] < 4) return;
    s[t] = -in[t];
  }
  if (!wrong) __syncthreads();
  out[t] = s[(t + 5) & 63];
}

// sync_in_a_branch: grid 1 block 64; finds barrier-divergence
PAIR(sync_in_a_branch) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < (wrong ? 20 : 64)) {
    __syncthreads();
    v *= 3;
  }
  out[t] = v;
}

// sync_after_a_divergent_loop: grid 1 block 64; finds shared-race
PAIR(sync_after_a_divergent_loop) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = 0;
  for (int i = 0; i <= t % 7; ++i) v += in[i];
  s[t] = v;
  if (!wrong) __syncthreads();
  out[t] = s[t ^ 33];
}

// warps_with_other_numbers_of_barriers: grid 1 block 64; finds barrier-divergence or shared-race
PAIR(warps_with_other_numbers_of_barriers) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < (wrong && t >= 32 ? 3 : 2); ++i) {
    s[t] = in[t] + i;
    __syncthreads();
    out[t] += s[t ^ 32];
    __syncthreads();
  }
  out[t] -= 1;
}

// a_warp_leaves_and_the_rest_syncs: grid 1 block 128; finds shared-race
PAIR(a_warp_leaves_and_the_rest_syncs) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  if (t >= 96) return;
  s[t] = in[t];
  if (!wrong) __syncthreads();
  out[t] = s[95 - t];
}

// warp_sync_in_both_arms: grid 1 block 32; finds shared-race
PAIR(warp_sync_in_both_arms) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 16) {
    s[t] = in[t];
    if (!wrong) __syncwarp(0xffffu);
    out[t] = s[15 - t];
  } else {
    s[t] = in[t] + 1;
    __syncwarp(0xffff0000u);
    out[t] = s[47 - t];
  }
}

// full_warp_sync_at_two_places: grid 1 block 32; finds shared-race
PAIR(full_warp_sync_at_two_places) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (t < 16) {
    out[t] = 3;
    if (!wrong) __syncwarp();
  } else {
    out[t] = 4 + in[t];
    if (!wrong) __syncwarp();
  }
  out[t] += s[31 - t];
}

// shuffle_by_part: grid 1 block 32; finds inactive-lane-read
PAIR(shuffle_by_part) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 24) v += __shfl_sync(0x00ffffffu, v, (t + (wrong ? 8 : 1)) % (wrong ? 32 : 24));
  out[t] = v;
}

// tail_returns_before_reduction: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(tail_returns_before_reduction) {
  const int t = threadIdx.x;
  const bool has = t < 20;
  if (wrong && !has) return;
  int v = has ? in[t] : 0;
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (t == 0) out[0] = v;
}

// tile_of_four: grid 1 block 32; finds shared-race
PAIR(tile_of_four) {
  __shared__ int s[32];
  namespace cg = cooperative_groups;
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = in[t];
  if (!wrong) tile.sync();
  out[t] = s[(t & ~3) | ((t + 1) & 3)];
}

// coalesced_group: grid 1 block 64; finds shared-race
PAIR(coalesced_group) {
  __shared__ int s[64];
  namespace cg = cooperative_groups;
  const int t = threadIdx.x;
  if (t % 3 == 0) {
    auto group = cg::coalesced_threads();
    s[t] = in[t];
    if (!wrong) group.sync();
    const int warp = t / 32 * 32;
    const int first = (warp + 2) / 3 * 3;
    out[t] = s[first];
    group.sync();
    s[t] = 0;
  }
}

// break_out_of_nested_loops: grid 1 block 64; finds shared-race
PAIR(break_out_of_nested_loops) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      v += in[i * 5 + j];
      if (v > 10 * t) goto done;
    }
  }
done:
  s[t] = v;
  if (!wrong) __syncthreads();
  out[t] = s[63 - t];
}

// guarded_exit_and_vote: grid 1 block 64; finds inactive-lane-read or barrier-divergence
PAIR(guarded_exit_and_vote) {
  const int t = threadIdx.x;
  if (in[t] >= 50) asm volatile("exit;");
  int all = 0;
  if (!wrong || in[t] < 20) all = __all_sync(0xffffffffu, in[t] >= 0);
  out[t] = all;
}

// shuffle_of_lanes_in_the_mask: grid 1 block 32; finds inactive-lane-read
PAIR(shuffle_of_lanes_in_the_mask) {
  const int t = threadIdx.x;
  const unsigned half = t < 16 ? 0xffffu : 0xffff0000u;
  out[t] = __shfl_xor_sync(half, in[t], wrong ? 16 : 8);
}

// masks_that_lanes_share: grid 1 block 32; finds inactive-lane-read
PAIR(masks_that_lanes_share) {
  const int t = threadIdx.x;
  const unsigned low = wrong ? 0xffffffffu : 0xffffu;
  out[t] = int(__ballot_sync(t < 16 ? low : 0xffff0000u, in[t] & 1));
}

template <bool wrong>
static __device__ __noinline__ void reverse(const int* in, int* out, int count) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= count) return;
  s[t] = in[t];
  if (!wrong) __syncthreads();
  out[t] = s[count - 1 - t];
}

// early_return_in_called_function: grid 1 block 64; finds shared-race
PAIR(early_return_in_called_function) { reverse<wrong>(in, out, 40 + (work[0] & 1)); }

// body_in_condition: grid 1 block 64; finds barrier-divergence
PAIR(body_in_condition) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (work[0] == 0) {
    if (t < 40) {
      s[t] = in[t];
      __syncthreads();
      out[t] = s[39 - t];
    }
    if (wrong) out[64 + t] = in[t];
  } else {
    out[t] = 1;
  }
}

// sum_in_condition: grid 1 block 32; finds inactive-lane-read or barrier-divergence
PAIR(sum_in_condition) {
  const int t = threadIdx.x;
  if (work[0] == 0) {
    if (t < 20) out[t] = __reduce_add_sync(~0u, in[t]);
    if (wrong) out[32 + t] = in[t];
  } else {
    out[t] = 1;
  }
}

// half_a_warp_at_a_named_barrier: grid 1 block 64; finds barrier-divergence
PAIR(half_a_warp_at_a_named_barrier) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (wrong ? t < 16 + work[0] : t < 32 + work[0]) asm volatile("bar.sync 3, 32;" ::: "memory");
  out[t] = s[t];
}

// rows_that_skip_a_named_barrier: grid 1 block 64; finds barrier-divergence
PAIR(rows_that_skip_a_named_barrier) {
  __shared__ int s[64];
  const int t = threadIdx.x, rows = 50 + work[0];
  s[t] = in[t];
  if (t >= rows && !wrong) return;
  if (t < rows) asm volatile("bar.sync 2, 64;" ::: "memory");
  out[t] = t < rows ? s[49 - t] : -1;
}

// branches_by_a_table: grid 1 block 32; finds out-of-bounds-read
PAIR(branches_by_a_table) {
  const int t = threadIdx.x;
  int value = 0;
  asm volatile(
      "{ ways: .branchtargets first, second, third, fourth;\n"
      "brx.idx %1, ways;\n"
      "first: mov.u32 %0, 10; bra behind;\n"
      "second: mov.u32 %0, 11; bra behind;\n"
      "third: mov.u32 %0, 12; bra behind;\n"
      "fourth: mov.u32 %0, 13;\n"
      "behind: }" : "=r"(value) : "r"(in[t] & (wrong ? 7 : 3)));
  out[t] = value;
}
