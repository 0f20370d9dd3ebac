// Matrix instructions, which all lanes of a warp must execute.
#include <cuda_fp16.h>

#include "tests/data/machine/soundness/pair.h"

__device__ void multiply(float (&sum)[4], unsigned a, unsigned b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%5}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a), "r"(b));
}

__device__ unsigned load(const half* rows) {
  unsigned out;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(out)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(rows))));
  return out;
}

__device__ unsigned transposed(unsigned rows) {
  unsigned out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(rows));
  return out;
}

// multiplied_by_half_a_warp: grid 1 block 64; finds inactive-lane-read
PAIR(multiplied_by_half_a_warp) {
  float sum[4] = {};
  const int t = threadIdx.x;
  if (t % 32 < (wrong ? 16 : 32)) multiply(sum, in[t], in[t + 1]);
  out[t] = int(sum[0] + sum[3]);
}

// after_rows_past_the_end_left: grid 1 block 64; finds inactive-lane-read
PAIR(after_rows_past_the_end_left) {
  const int t = threadIdx.x, rows = in[wrong ? 40 : 32];
  if (t >= rows) return;
  float sum[4] = {};
  multiply(sum, in[t], in[t + 1]);
  out[t] = int(sum[0] + sum[3]);
}

// in_a_block_of_part_of_a_warp: grid 1 block 48; finds inactive-lane-read
PAIR(in_a_block_of_part_of_a_warp) {
  const int t = threadIdx.x;
  float sum[4] = {};
  if (wrong || t < 32) multiply(sum, in[t], in[t + 1]);
  out[t] = int(sum[0]);
}

// tiles_of_each_lane: grid 1 block 32; finds inactive-lane-read
PAIR(tiles_of_each_lane) {
  const int t = threadIdx.x, tiles = in[wrong ? 2 + t / 16 : 2];
  float sum[4] = {};
  for (int tile = 0; tile < tiles; ++tile) multiply(sum, in[t + tile], in[t + 1]);
  out[t] = int(sum[0]);
}

// loaded_by_the_lanes_that_give_rows: grid 1 block 32; finds inactive-lane-read
PAIR(loaded_by_the_lanes_that_give_rows) {
  __shared__ alignas(16) half rows[64];
  const int t = threadIdx.x;
  rows[t] = rows[t + 32] = __int2half_rn(in[t]);
  __syncwarp();
  unsigned value = 0;
  if (!wrong || t < 8) value = load(rows + t % 8 * 8);
  out[t] = value;
}

// transposed_by_some: grid 1 block 32; finds inactive-lane-read
PAIR(transposed_by_some) {
  const int t = threadIdx.x;
  unsigned value = in[t];
  if (!wrong || in[t] != 7) value = transposed(value);
  out[t] = value;
}

// of_lanes_that_came_different_ways: grid 1 block 32; finds inactive-lane-read
PAIR(of_lanes_that_came_different_ways) {
  const int t = threadIdx.x;
  float sum[4] = {};
  unsigned value = in[t];
  if (t % 3 == 0) {
    for (int n = 0; n < t; ++n) value = value * 5 + in[n];
    if (wrong) multiply(sum, value, in[t]);
  } else {
    value ^= in[t + 1];
    if (wrong) multiply(sum, value, in[t]);
  }
  if (!wrong) multiply(sum, value, in[t]);
  out[t] = int(sum[0]);
}
