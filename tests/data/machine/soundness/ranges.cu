// Numbers of which nobody knows the value, and everybody the bounds: what lies outside the bounds cannot matter.
#include "tests/data/machine/soundness/pair.h"

// walk_past_the_end: grid 1 block 32; finds uninitialized-read
PAIR(walk_past_the_end) {
  __shared__ int keys[32];
  const int t = threadIdx.x, many = wrong ? 5 : 4;
  if (t < 4) keys[t] = in[t];
  __syncthreads();
  if (t) return;
  int x = 0, hits = 0, key = keys[0];
  for (int i = 0; i < 8; ++i) {
    const bool goes_on = key < 100;
    if (x < many && goes_on) ++hits;
    if (goes_on) key = keys[++x];
  }
  *out = hits;
}

// intersection_of_two: grid 1 block 32; finds uninitialized-read
PAIR(intersection_of_two) {
  __shared__ int keys[64];
  const int t = threadIdx.x;
  if (t < 8) keys[t] = 2 * in[t];
  if (t < 4) keys[8 + t] = 3 * in[t];
  __syncthreads();
  if (t) return;
  const int end_of_a = 8, end_of_b = wrong ? 13 : 12;
  int x = 0, y = 8, found = 0, a = keys[x], b = keys[y];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const bool takes_a = a < b, takes_b = b < a;
    if (x < end_of_a && y < end_of_b && takes_a == takes_b) found |= 1 << i;
    if (!takes_b) a = keys[++x];
    if (!takes_a) b = keys[++y];
  }
  *out = __popc(found);
}

// one_of_two_numbers: grid 1 block 32; finds uninitialized-read
PAIR(one_of_two_numbers) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const int step = s[t] < 7 ? 4 : 6;
  out[t] = step < (wrong ? 6 : 7);
}

// widest_of_a_chain: grid 1 block 32; finds uninitialized-read
PAIR(widest_of_a_chain) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x, u = s[t];
  int moved = 0;
  for (int i = 0; i < 5; ++i) moved += (u >> i & 1) ? 3 : 0;
  out[t] = in[t] + moved <= in[t] + (wrong ? 14 : 15);
}

// taken_away: grid 1 block 32; finds uninitialized-read
PAIR(taken_away) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  const int up = in[t] + (s[t] < 7 ? 1 : 0), down = s[t + 32] < 7 ? 2 : 0;
  out[t] = up - down > in[t] - (wrong ? 2 : 3);
}

// scaled_and_turned_round: grid 1 block 32; finds uninitialized-read
PAIR(scaled_and_turned_round) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const int step = s[t] < 7 ? 1 : 2;
  out[t] = 100 - step * 10 < (wrong ? 90 : 91);
}

// loaded_from_either_side: grid 1 block 32; finds uninitialized-read
PAIR(loaded_from_either_side) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const int from = s[t] < 7 ? t : t + 1, value = in[from];
  out[t] = wrong || from < 0 ? value : 7;
}

// past_all_that_is_there: grid 1 block 32; finds uninitialized-read
PAIR(past_all_that_is_there) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const int from = s[t] < 7 ? 4000 : (wrong ? 4100 : 4095), value = in[from + (t == 40)];
  if (value == 5 && t == 40) out[t] = 1;
}

// the_lesser_of_two: grid 1 block 32; finds uninitialized-read
PAIR(the_lesser_of_two) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  const int a = s[t] < 7 ? 10 : 13, b = s[t + 32] < 7 ? 11 : 20;
  out[t] = min(a, b) <= (wrong ? 12 : 13);
}

// kept_in_shared_memory: grid 1 block 32; finds uninitialized-read
PAIR(kept_in_shared_memory) {
  __shared__ volatile int s[32], at[32];
  const int t = threadIdx.x;
  at[t] = s[t] < 7 ? 3 : 4;
  __syncwarp();
  out[t] = at[t ^ 1] + 1 < (wrong ? 5 : 6);
}

// of_eight_bytes: grid 1 block 32; finds uninitialized-read
PAIR(of_eight_bytes) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const long long past = (long long)in[t] + (s[t] < 7 ? 0 : 1);
  out[t] = past * 8 < (long long)in[t] * 8 + (wrong ? 8 : 9);
}

// below_zero_without_a_sign: grid 1 block 32; finds uninitialized-read
PAIR(below_zero_without_a_sign) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const unsigned u = unsigned(wrong ? 0 : 1) - (s[t] < 7 ? 0u : 1u);
  out[t] = u < 2u;
}

// after_any_number_of_rounds: grid 1 block 32; finds uninitialized-read
PAIR(after_any_number_of_rounds) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  if (!wrong) s[t] = 1000, s[t + 32] = 1000;
  __syncwarp();
  int x = 0;
  while (s[(t + x) & 63] < 100) ++x;
  out[t] = x < 2;
}

// what_both_ways_give: grid 1 block 32; finds uninitialized-read
PAIR(what_both_ways_give) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  int a = in[t], b = in[t + 1];
  if (s[t] < 7) a = b = in[t + 2];
  out[t] = wrong ? (a & 2) : (a >= 0 && b < 4096);
}
