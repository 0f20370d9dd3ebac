// Threads that store different values to one word of shared memory: chance says which of them is there, and that matters
// where somebody uses what is there.
#include "tests/data/machine/soundness/pair.h"

// slot_of_a_warp: grid 1 block 32; finds shared-race
PAIR(slot_of_a_warp) {
  __shared__ int s[33];
  const int t = threadIdx.x, value = in[t] + 1;
  const unsigned valid = __ballot_sync(~0u, value % 3 != 0);
  const int rank = valid >> t & 1 ? __popc(valid & ((1u << t) - 1)) : 32;
  s[rank] = value;
  __syncwarp();
  if (t < __popc(valid)) out[t] = s[t];
  if (wrong && t == 31) out[t] = s[32];
}

// slot_of_a_block: grid 1 block 128; finds shared-race
PAIR(slot_of_a_block) {
  __shared__ int s[129];
  const int t = threadIdx.x;
  s[in[t] & 1 ? t : 128] = t;
  __syncthreads();
  if (in[t] & 1) out[t] = s[t];
  if (wrong && t == 64) out[t] = s[128];
}

// slot_that_is_filled_again: grid 1 block 64; finds shared-race
PAIR(slot_that_is_filled_again) {
  __shared__ int last;
  const int t = threadIdx.x;
  last = in[t];
  __syncthreads();
  if (!wrong && t == 5) last = 5;
  __syncthreads();
  out[t] = last;
}

// slot_that_is_only_masked: grid 1 block 64; finds shared-race
PAIR(slot_that_is_only_masked) {
  __shared__ int last;
  const int t = threadIdx.x;
  last = in[t] | 64;
  __syncthreads();
  out[t] = wrong ? last & 65 : last & 0;
}

// slot_in_every_round: grid 1 block 64; finds shared-race
PAIR(slot_in_every_round) {
  __shared__ int s[65];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    s[(in[t] + round) % 3 ? t : 64] = round + t;
    __syncthreads();
    sum += (in[t] + round) % 3 ? s[t] : 0;
    if (wrong && round == 3) sum += s[64];
    __syncthreads();
  }
  out[t] = sum;
}

// slot_that_decides: grid 1 block 64; finds shared-race
PAIR(slot_that_decides) {
  __shared__ int last, other;
  const int t = threadIdx.x;
  last = in[t];
  if (t == 9) other = 9;
  __syncthreads();
  if ((wrong ? last : other) > 20) out[t] = 1;
}

// slot_that_is_an_index: grid 1 block 64; finds shared-race
PAIR(slot_that_is_an_index) {
  __shared__ int last;
  const int t = threadIdx.x;
  last = in[t];
  __syncthreads();
  const int value = in[wrong ? last : t];
  out[t] = value;
}

// last_one_stores_what_is_there: grid 1 block 96; finds shared-race
PAIR(last_one_stores_what_is_there) {
  __shared__ int last;
  const int t = threadIdx.x;
  last = in[t] < 32 ? 1 : 2;
  __syncthreads();
  out[t] = wrong ? last : t;
}

// slot_of_bytes: grid 1 block 32; finds shared-race
PAIR(slot_of_bytes) {
  __shared__ unsigned char s[4];
  const int t = threadIdx.x;
  s[in[t] & 1] = (in[t] & 1) ? 7 : in[t];
  __syncthreads();
  out[t] = s[wrong ? 0 : 1];
}

// two_instructions_to_a_slot: grid 1 block 64; finds shared-race
PAIR(two_instructions_to_a_slot) {
  __shared__ int s[2];
  const int t = threadIdx.x;
  if (t == 3) s[0] = in[3];
  if (t == 40) s[0] = in[40];
  if (t == 4) s[1] = 4;
  __syncthreads();
  out[t] = s[wrong ? 0 : 1];
}
