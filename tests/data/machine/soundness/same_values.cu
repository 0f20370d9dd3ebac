// Blocks that all store the same value, and each read what they have stored themselves: whoever is last, the value is the
// same. Behind a fence and an atomic, so that the order of the accesses is followed.
#include "tests/data/machine/soundness/pair.h"

#define PUBLISH(value)        \
  __threadfence();            \
  atomicAdd(&out[threadIdx.x], value)

// stored_by_all_and_read_back: grid 3 block 64; finds global-race; warns global-race
PAIR(stored_by_all_and_read_back) {
  const int t = threadIdx.x;
  work[t] = 3 * in[t + 1] + (wrong ? int(blockIdx.x) : 0);
  __syncthreads();
  const int own = work[t];
  PUBLISH(own);
}

// stored_by_all_and_read_by_a_neighbour: grid 3 block 64; finds global-race; warns global-race
PAIR(stored_by_all_and_read_by_a_neighbour) {
  const int t = threadIdx.x;
  work[t] = 3 * in[t + 1];
  if (!wrong) __syncthreads();
  const int other = work[n - 1 - t];
  PUBLISH(other);
}

// read_by_one_that_has_stored_nothing: grid 3 block 64; finds global-race; warns global-race
PAIR(read_by_one_that_has_stored_nothing) {
  const int t = threadIdx.x;
  if (!wrong || blockIdx.x > 0) work[t] = 3 * in[t + 1];
  __syncthreads();
  const int own = work[t];
  PUBLISH(own);
}

// another_value_in_the_next_round: grid 3 block 64; finds global-race; warns global-race
PAIR(another_value_in_the_next_round) {
  const int t = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    int* const slot = &work[wrong ? 0 : round * n];
    slot[t] = (round + 1) * in[t + 1];
    __syncthreads();
    const int own = slot[n - 1 - t];
    PUBLISH(own);
    __syncthreads();
  }
}

// an_atomic_between: grid 3 block 64; finds global-race; warns global-race
PAIR(an_atomic_between) {
  const int t = threadIdx.x;
  work[t] = 3 * in[t + 1];
  if (wrong && blockIdx.x == 1) atomicMax(&work[t], 0);
  __syncthreads();
  const int own = work[t];
  PUBLISH(own);
}

// read_by_the_second_alone: grid 2 block 64; finds global-race; warns global-race
PAIR(read_by_the_second_alone) {  // without a fence or an atomic
  const int t = threadIdx.x;
  if (!wrong || blockIdx.x == 0) work[t] = 3 * in[t + 1];
  __syncthreads();
  if (blockIdx.x == 1) out[t] = work[t];
}
