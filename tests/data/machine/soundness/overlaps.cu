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
