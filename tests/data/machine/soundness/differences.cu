// Numbers that nobody wrote and that are taken away again: what is left is known, whatever they are.
#include "tests/data/machine/soundness/pair.h"

// exclusive_scan_of_part_of_a_tile: grid 1 block 64; finds uninitialized-read
PAIR(exclusive_scan_of_part_of_a_tile) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x, many = 33;
  if (t < many) s[t] = in[1];
  __syncthreads();
  if (t < 32) {
    const int a = s[2 * t], b = s[2 * t + 1], sum = a + b;
    int inclusive = sum;
    for (int d = 1; d < 32; d *= 2) {
      const int before = __shfl_up_sync(~0u, inclusive, d);
      if (t >= d) inclusive += before;
    }
    const int exclusive = inclusive - sum;
    s[2 * t] = exclusive;
    s[2 * t + 1] = exclusive + a;
  }
  __syncthreads();
  if (t < (wrong ? many + 2 : many)) out[s[t]] = t;
}

// own_part_by_way_of_memory: grid 1 block 32; finds uninitialized-read
PAIR(own_part_by_way_of_memory) {
  __shared__ volatile int own[32], sums[32];
  const int t = threadIdx.x;
  if (t < 9) own[t] = in[t];
  __syncwarp();
  sums[t] = own[t] + in[t];
  if (wrong && t == 9) sums[t] = own[t + 1] + in[t];
  __syncwarp();
  out[t] = sums[31 - t] - own[31 - t];
}

// total_less_what_is_left: grid 1 block 32; finds uninitialized-read
PAIR(total_less_what_is_left) {
  __shared__ volatile int own[32];
  const int t = threadIdx.x;
  if (t < 9) own[t] = in[t];
  __syncwarp();
  const int u = own[t], left = in[t] - u;
  own[t] = left;
  __syncwarp();
  out[t] = wrong ? own[t] : own[t] + u;
}

// added_twice_and_taken_once: grid 1 block 32; finds uninitialized-read
PAIR(added_twice_and_taken_once) {
  __shared__ volatile int own[32];
  const int t = threadIdx.x;
  if (t < 9) own[t] = in[t];
  __syncwarp();
  const int u = own[t];
  int sum = in[t] + u;
  own[t] = sum;
  __syncwarp();
  sum = own[t] + (wrong ? u : 0);
  own[t] = sum;
  __syncwarp();
  out[t] = own[t] - u == in[t];
}

// overwritten_in_between: grid 1 block 32; finds uninitialized-read
PAIR(overwritten_in_between) {
  __shared__ volatile int own[33];
  const int t = threadIdx.x;
  const int u = own[t];
  if (wrong) own[t] = own[t + 1];
  const int v = own[t];
  out[t] = v - u;
}

// a_byte_of_it_overwritten: grid 1 block 32; finds uninitialized-read
PAIR(a_byte_of_it_overwritten) {
  __shared__ volatile int own[32];
  const int t = threadIdx.x;
  own[t] = own[t] + in[t];
  const int u = own[t];
  if (wrong) reinterpret_cast<volatile char*>(own)[4 * t + 1] = 1;
  out[t] = own[t] - u;
}

// of_another_lane: grid 1 block 32; finds uninitialized-read
PAIR(of_another_lane) {
  __shared__ volatile int own[32];
  const int t = threadIdx.x;
  const int u = own[t];
  const int sum = __shfl_xor_sync(~0u, u + in[t], 1);
  const int others = __shfl_xor_sync(~0u, u, wrong ? 2 : 1);
  out[t] = sum - others;
}

// own_part_in_local_memory: grid 1 block 32; finds uninitialized-read
PAIR(own_part_in_local_memory) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  if (t < 9) s[t] = in[t];
  __syncwarp();
  volatile int parts[4];
  parts[in[t] & 1] = s[t];
  parts[2 + (in[t] & 1)] = parts[in[t] & 1] + in[t];
  out[t] = parts[2 + (in[t] & 1)] - parts[wrong && t == 20 ? 1 : in[t] & 1];
}

// chosen_before_it_is_taken_away: grid 1 block 32; finds uninitialized-read
PAIR(chosen_before_it_is_taken_away) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  const int u = s[t], v = s[t + 32];
  int one = in[t] > 3 ? u : v, other = in[t] > (wrong ? 4 : 3) ? u : v;
  asm volatile("" : "+r"(one), "+r"(other));
  out[t] = (one + 7) - other;
}
