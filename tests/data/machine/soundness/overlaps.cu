// Lanes of one warp that store to one element, at two instructions. The warp makes them in turn, but where nothing reads
// what the first has stored, that is lost. What memory is filled with before others store there was there to be lost.
#include "tests/data/machine/soundness/pair.h"

// two_tables_in_one_array: grid 2 block 32; finds shared-race
PAIR(two_tables_in_one_array) {
  __shared__ int tables[64];
  const int t = threadIdx.x;
  int* const second = tables + (wrong ? 16 : 32);
  tables[t] = 3 * in[t] + 1;
  second[t] = 5 * in[t + 7] + 2;
  __syncwarp();
  out[blockIdx.x * n + t] = tables[31 - t] + second[t];
}

// two_tables_that_a_loop_fills: grid 2 block 32; finds shared-race
PAIR(two_tables_that_a_loop_fills) {
  __shared__ int tables[256];
  const int half = in[64];
  int* const second = tables + (wrong ? half / 4 : half);
  for (int i = threadIdx.x; i < half; i += n) {
    tables[i] = 3 * in[i] + 1;
    second[i] = 5 * in[i + 7] + 2;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += n) out[blockIdx.x * half + i] = tables[half - 1 - i] + second[i];
}

// filled_and_then_stored: grid 2 block 32; finds shared-race; warns shared-race
PAIR(filled_and_then_stored) {
  __shared__ int best[32];
  const int t = threadIdx.x;
  best[t] = wrong ? 3 * in[t] + 1 : -1;
  best[(t + 1) & 31] = in[t];
  __syncwarp();
  out[blockIdx.x * n + t] = best[t];
}

// filled_with_a_parameter: grid 2 block 32; finds shared-race; warns shared-race
PAIR(filled_with_a_parameter) {
  __shared__ int best[32];
  const int t = threadIdx.x;
  best[t] = wrong ? n * in[t] : n;
  best[(t + 1) & 31] = in[t];
  __syncwarp();
  out[blockIdx.x * n + t] = best[t];
}

// read_before_others_store: grid 2 block 32; finds shared-race; warns shared-race
PAIR(read_before_others_store) {
  __shared__ int values[32];
  const int t = threadIdx.x;
  volatile int* const seen = values;
  values[t] = 3 * in[t] + 1;
  const int own = wrong ? in[t] : seen[31 - t];
  values[(t + 1) & 31] = own + in[t];
  __syncwarp();
  out[blockIdx.x * n + t] = values[t];
}

// a_slot_that_nobody_reads: grid 2 block 32; finds shared-race
PAIR(a_slot_that_nobody_reads) {
  __shared__ int slots[33];
  const int t = threadIdx.x, at = in[t] % 3 == 0 ? t : 32;
  slots[at] = 3 * in[t] + 1;
  slots[at] = slots[at] + in[t];
  __syncwarp();
  out[blockIdx.x * n + t] = at == 32 ? (wrong ? slots[32] : 0) : slots[t];
}

// rows_of_one_warp: grid 2 block 32; finds global-race
PAIR(rows_of_one_warp) {
  const int t = threadIdx.x, row = blockIdx.x * 2 * n;
  out[row + t] = 3 * in[t] + 1;
  out[row + (wrong ? 16 : 32) + t] = 5 * in[t + 7] + 2;
}

// rows_behind_other_loads: grid 2 block 32; finds global-race
PAIR(rows_behind_other_loads) {
  const int t = threadIdx.x, row = blockIdx.x * 2 * n;
  const volatile int* const given = in;
  out[row + t] = 3 * given[t] + 1;
  out[row + (wrong ? 16 : 32) + t] = 5 * given[t + 7] + 2;
}

// bins_of_one_warp: grid 2 block 32; finds shared-race
PAIR(bins_of_one_warp) {
  __shared__ int bins[32];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncwarp();
  int* const bin = &bins[in[t] & (wrong ? 3 : 31)];
  *bin += 1;
  __syncwarp();
  out[blockIdx.x * n + t] = bins[t];
}

// counted_by_one_warp: grid 1 block 32; finds global-race
PAIR(counted_by_one_warp) {
  const int t = threadIdx.x;
  if (in[t] % 3 == 0) {
    if (wrong)
      work[0] += 1;
    else
      atomicAdd(work, 1);
  }
  __syncwarp();
  out[t] = t;
}

// a_bit_that_all_set: grid 1 block 32; finds shared-race; warns shared-race
PAIR(a_bit_that_all_set) {
  __shared__ int flags;
  if (threadIdx.x == 0) flags = 0;
  __syncwarp();
  if (in[threadIdx.x] % 3 == 0) flags = wrong ? flags + 1 : flags | 1;
  __syncwarp();
  out[threadIdx.x] = flags;
}

// a_neighbour_of_ones_own_warp: grid 1 block 32; finds shared-race
PAIR(a_neighbour_of_ones_own_warp) {
  __shared__ int sums[33];
  const int t = threadIdx.x;
  sums[t] = in[t];
  if (t == 0) sums[32] = 0;
  __syncwarp();
  const int next = sums[t + 1];
  __syncwarp();
  sums[t] += wrong ? sums[(t + 1) & ~1] : next;
  if (wrong) sums[t & ~1] += 1;
  __syncwarp();
  out[t] = sums[t];
}
