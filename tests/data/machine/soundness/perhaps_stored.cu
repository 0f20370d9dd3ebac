// What nobody wrote decides whether, or what, is stored to shared memory. Nothing is wrong where no result depends on it:
// rows past the end that nobody looks at.
#include <cuda/atomic>

#include "tests/data/machine/soundness/pair.h"

// A row of a tile of n, of which the first half was written; and whether its own result is looked at.
#define TILE(type)                            \
  __shared__ type s[64], kept[64];            \
  const int t = threadIdx.x, other = n - 1 - t, rows = n / 2; \
  kept[t] = type(-7);                         \
  if (t < rows) s[t] = type(in[t]) - type(3); \
  __syncthreads();                            \
  const type v = s[other]
#define RESULT __syncthreads(); if (t < (wrong ? n : rows)) out[t] = int(kept[t])

// maximum_of_floats_by_bits: grid 1 block 64; finds uninitialized-read
PAIR(maximum_of_floats_by_bits) {  // CUTLASS example 41's atomicMaxFloat
  TILE(float);
  int* const at = reinterpret_cast<int*>(&kept[other]);
  if (!signbit(v)) atomicMax(at, __float_as_int(v));
  else atomicMin(reinterpret_cast<unsigned*>(at), __float_as_uint(v));
  RESULT;
}

// a_sum_of_undefined_terms: grid 1 block 64; finds uninitialized-read
PAIR(a_sum_of_undefined_terms) {
  TILE(int);
  atomicAdd(&kept[other], v);
  RESULT;
}

// an_undefined_exchange: grid 1 block 64; finds uninitialized-read
PAIR(an_undefined_exchange) {
  TILE(int);
  atomicExch(&kept[other], v);
  RESULT;
}

// a_swap_that_is_perhaps_made: grid 1 block 64; finds uninitialized-read
PAIR(a_swap_that_is_perhaps_made) {
  TILE(int);
  atomicCAS(&kept[other], v, 5);
  RESULT;
}

// what_an_atomic_gives_back: grid 1 block 64; finds uninitialized-read
PAIR(what_an_atomic_gives_back) {  // the value before is known, the one behind is not
  TILE(int);
  int before = atomicAdd(&kept[other], v);
  if (wrong) before = atomicAdd(&kept[other], 1);
  __syncthreads();
  out[t] = before;
}

// stored_by_chance: grid 1 block 64; finds uninitialized-read
PAIR(stored_by_chance) {
  TILE(int);
  volatile int* const at = &kept[other];
  if (v > 5) *at = 1;
  RESULT;
}

// stored_by_chance_one_way_or_the_other: grid 1 block 64; finds uninitialized-read
PAIR(stored_by_chance_one_way_or_the_other) {
  TILE(int);
  volatile int* const at = &kept[other];
  const int was = *at;
  if (v > 5) *at = was + v;
  else atomicSub(&kept[other], 1);
  RESULT;
}

// stored_elsewhere_on_either_way: grid 1 block 64; finds uninitialized-read
PAIR(stored_elsewhere_on_either_way) {  // at addresses that each way computes
  TILE(int);
  __shared__ int beside[64];
  beside[t] = -7;
  __syncthreads();
  if (v > 5) *(volatile int*)&kept[other] = v;
  else *(volatile int*)&beside[other] = v * 2;
  __syncthreads();
  if (t < (wrong ? n : rows)) out[t] = kept[t] + beside[t];
}

// a_predicated_store: grid 1 block 64; finds uninitialized-read
PAIR(a_predicated_store) {
  TILE(int);
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 5; @p st.shared.s32 [%1], %0; }" ::"r"(v), "r"(unsigned(__cvta_generic_to_shared(&kept[other]))) : "memory");
  RESULT;
}

// a_predicated_store_elsewhere: grid 1 block 64; finds uninitialized-read
PAIR(a_predicated_store_elsewhere) {  // memory that others see
  TILE(int);
  if (wrong || other < rows)
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 5; @p st.global.s32 [%1], %0; }" ::"r"(v), "l"(&out[other]) : "memory");
}

// a_predicated_atomic: grid 1 block 64; finds uninitialized-read
PAIR(a_predicated_atomic) {
  TILE(int);
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 5; @p red.shared.add.s32 [%1], 1; }" ::"r"(v), "r"(unsigned(__cvta_generic_to_shared(&kept[other]))) : "memory");
  RESULT;
}

// stored_again_for_certain: grid 1 block 64; finds uninitialized-read
PAIR(stored_again_for_certain) {
  TILE(int);
  volatile int* const at = &kept[other];
  if (v > 5) *at = 1;
  if (!wrong || t == 5) *at = 2;
  __syncthreads();
  out[t] = kept[t];
}

// counted_by_chance: grid 1 block 64; finds uninitialized-read
PAIR(counted_by_chance) {  // one counter for all: what nobody wrote is counted as well
  TILE(int);
  __shared__ int count;
  if (t == 0) count = 0;
  __syncthreads();
  if ((wrong || other < rows) && v > 5) atomicAdd(&count, 1);
  RESULT;
  if (t == 0) out[n] = count;
}

// released_by_chance: grid 1 block 64; finds uninitialized-read
PAIR(released_by_chance) {  // others wait for it
  TILE(int);
  __shared__ int flag[64];
  flag[t] = 0;
  __syncthreads();
  if (wrong || other < rows) {
    cuda::atomic_ref<int, cuda::thread_scope_block> at(flag[other]);
    if (v > 5) at.store(1, cuda::memory_order_release);
  }
  __syncthreads();
  if (t < rows) out[t] = flag[t];
}

// stored_in_an_undefined_row: grid 1 block 64; finds uninitialized-read
PAIR(stored_in_an_undefined_row) {  // one element of the thread's column, whichever that is
  TILE(int);
  __shared__ int counts[4][64];
  for (int row = 0; row < 4; ++row) counts[row][other] = 0;
  *(volatile int*)&counts[v & 3][other] = 1;
  __syncthreads();
  for (int row = 0; row < 4; ++row) kept[t] = kept[t] * 2 + counts[row][t];
  RESULT;
}

// counted_in_an_undefined_element: grid 1 block 64; finds uninitialized-read
PAIR(counted_in_an_undefined_element) {  // a histogram for each row of the tile
  TILE(int);
  __shared__ int counts[64][4];
  for (int bin = 0; bin < 4; ++bin) counts[t][bin] = 0;
  __syncthreads();
  atomicAdd(&counts[other][v & 3], 1);
  __syncthreads();
  for (int bin = 0; bin < 4; ++bin) kept[t] = kept[t] * 2 + counts[t][bin];
  RESULT;
}

// counted_past_the_array: grid 1 block 64; finds uninitialized-read
PAIR(counted_past_the_array) {  // the mask leaves numbers that the array does not have
  TILE(int);
  __shared__ int counts[64][4];
  for (int bin = 0; bin < 4; ++bin) counts[t][bin] = 0;
  __syncthreads();
  atomicAdd(&counts[0][0] + (v & (wrong && other >= rows ? 511 : 255)), 0);
  __syncthreads();
  if (t < rows) out[t] = kept[t];
}

// counted_in_anothers_row: grid 1 block 64; finds uninitialized-read
PAIR(counted_in_anothers_row) {  // rows of eight, of which the mask is to leave four
  TILE(int);
  __shared__ int counts[64][8];
  for (int bin = 0; bin < 8; ++bin) counts[t][bin] = 0;
  __syncthreads();
  atomicAdd(&counts[other / 2 * 2][0] + (v & (wrong ? 15 : 7)), 1);
  __syncthreads();
  if (t < rows + 2 && (t & 1)) out[t] = counts[t][3];
}

// stored_at_one_of_two_pointers: grid 1 block 64; finds uninitialized-read
PAIR(stored_at_one_of_two_pointers) {
  TILE(int);
  __shared__ int beside[64];
  beside[t] = 0;
  __syncthreads();
  int* const at = v > 5 ? &kept[other] : &beside[other];
  *at = v;
  __syncthreads();
  if (t < (wrong ? n : rows)) out[t] = kept[t] + beside[t];
}

// put_into_a_sorted_list: grid 1 block 64; finds uninitialized-read
PAIR(put_into_a_sorted_list) {  // a list of four in the thread's column
  TILE(int);
  __shared__ int list[4][64];
  for (int k = 0; k < 4; ++k) list[k][other] = 1000 + k;
  for (int turn = 0; turn < 3; ++turn) {
    const int value = s[other] * (turn + 1) % 11;
    if (value >= list[3][other]) continue;
    int k = 3;
    while (k > 0 && list[k - 1][other] > value) list[k][other] = list[k - 1][other], --k;
    list[k][other] = value;
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) kept[t] = kept[t] * 3 + list[k][t];
  RESULT;
}

// an_undefined_element_of_the_threads_own: grid 1 block 64; finds uninitialized-read
PAIR(an_undefined_element_of_the_threads_own) {  // an array in local memory
  TILE(int);
  int own[4] = {1, 2, 3, 4};
  own[v & 3] = 9;
  kept[other] = own[t & 3];
  RESULT;
}

// stored_again_where_it_may_have_been: grid 1 block 64; finds uninitialized-read
PAIR(stored_again_where_it_may_have_been) {
  TILE(int);
  __shared__ int counts[4][64];
  *(volatile int*)&counts[v & 3][other] = 1;
  for (int row = 0; row < (wrong ? 3 : 4); ++row) *(volatile int*)&counts[row][other] = row;
  __syncthreads();
  out[t] = counts[0][t] + counts[3][t];
}

// an_undefined_element_that_others_see: grid 1 block 64; finds uninitialized-read
PAIR(an_undefined_element_that_others_see) {  // in global memory
  TILE(int);
  if (wrong || other < rows) out[v & 63] = 1;
}

// nothing_counted_in_an_undefined_element: grid 1 block 64; finds uninitialized-read
PAIR(nothing_counted_in_an_undefined_element) {  // one histogram: rows past the end add nothing, wherever
  TILE(int);
  __shared__ int counts[8];
  if (t < 8) counts[t] = 0;
  __syncthreads();
  atomicAdd(&counts[v & 7], other < rows || (wrong && t == 3) ? 1 : 0);
  __syncthreads();
  if (t < 8) out[t] = counts[t];
}

// the_largest_of_an_undefined_element: grid 1 block 64; finds uninitialized-read
PAIR(the_largest_of_an_undefined_element) {  // none is less than 0
  TILE(int);
  __shared__ int most[8];
  if (t < 8) most[t] = wrong ? -1 : 0;
  __syncthreads();
  atomicMax(&most[v & 7], other < rows ? other + 1 : 0);
  __syncthreads();
  if (t < 8) out[t] = most[t];
}

// the_same_stored_in_an_undefined_element: grid 1 block 64; finds uninitialized-read
PAIR(the_same_stored_in_an_undefined_element) {  // all elements hold it already
  TILE(int);
  __shared__ int flags[8];
  if (t < 8) flags[t] = wrong && t == 5 ? 0 : 1;
  __syncthreads();
  if (other >= rows) *(volatile int*)&flags[v & 7] = 1;
  __syncthreads();
  if (t < 8) out[t] = flags[t];
}

// nothing_counted_where_others_see: grid 1 block 64; finds uninitialized-read
PAIR(nothing_counted_where_others_see) {  // in global memory
  TILE(int);
  if (t < 8) out[t] = 0;
  __syncthreads();
  atomicAdd(&out[v & 7], other < rows || (wrong && t == 3) ? 1 : 0);
}
