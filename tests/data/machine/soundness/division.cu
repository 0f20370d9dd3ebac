// Integer division by zero: unspecified, and a finding where it matters.
#include "tests/data/machine/soundness/pair.h"

// A division that the compiler leaves where it is.
static __device__ __forceinline__ int divide(int a, int b) {
  int value;
  asm volatile("div.s32 %0, %1, %2;" : "=r"(value) : "r"(a), "r"(b));
  return value;
}

// group_size_of_zero: grid 2 block 64; finds division-by-zero
PAIR(group_size_of_zero) {
  const int group = in[wrong ? 0 : 4];
  out[blockIdx.x * n + threadIdx.x] = threadIdx.x / group;
}

// more_key_heads_than_heads: grid 1 block 64; finds division-by-zero
PAIR(more_key_heads_than_heads) {
  const int heads = in[4], key_heads = in[wrong ? 8 : 2];
  const int key_head = int(threadIdx.x) % heads / (heads / key_heads);
  out[threadIdx.x] = in[64 * key_head + threadIdx.x];
}

// guarded_by_a_select: grid 2 block 64; finds division-by-zero
PAIR(guarded_by_a_select) {
  const int t = threadIdx.x, b = in[t % 4], q = divide(t + 100, b);
  out[blockIdx.x * n + t] = wrong || b != 0 ? q : 0;
}

// guarded_by_a_branch: grid 1 block 64; finds division-by-zero
PAIR(guarded_by_a_branch) {
  const int t = threadIdx.x, b = in[t % 4];
  int q = 7;
  if (wrong || b != 0) q = (t + 100) / b;
  out[t] = q;
}

// remainder_that_is_stored: grid 1 block 64; finds division-by-zero
PAIR(remainder_that_is_stored) {
  const unsigned t = threadIdx.x, size = in[wrong ? 0 : 16];
  out[t] = (t + 5u) % size;
}

// remainder_as_an_index: grid 1 block 64; finds division-by-zero
PAIR(remainder_as_an_index) {
  const int t = threadIdx.x, size = in[wrong ? 0 : 16];
  out[t] = in[t % size];
}

// lanes_that_store_nothing: grid 1 block 64; finds division-by-zero
PAIR(lanes_that_store_nothing) {
  const int t = threadIdx.x, q = divide(1000, in[t % 8]);
  if (wrong || t % 8 != 0) out[t] = q;
}

// wide_numbers_that_are_small: grid 1 block 64; finds division-by-zero
PAIR(wide_numbers_that_are_small) {
  const long long a = in[threadIdx.x], b = in[wrong ? 0 : 3];
  reinterpret_cast<long long*>(out)[threadIdx.x] = a / b;
}

// wide_numbers: grid 1 block 64; finds division-by-zero
PAIR(wide_numbers) {
  const unsigned long long a = (unsigned long long)in[threadIdx.x + 1] << 40, b = in[wrong ? 0 : 3];
  reinterpret_cast<unsigned long long*>(out)[threadIdx.x] = a % b;
}

// wide_numbers_below_zero: grid 1 block 64; finds division-by-zero
PAIR(wide_numbers_below_zero) {
  const long long b = in[threadIdx.x % 4], q = -((long long)in[5] << 35) / (wrong || b ? b : 1);
  reinterpret_cast<long long*>(out)[threadIdx.x] = q;
}

// numbers_of_16_bits: grid 1 block 64; finds division-by-zero
PAIR(numbers_of_16_bits) {
  const unsigned short a = 1000, b = in[wrong ? 0 : 7];
  unsigned short q;
  asm volatile("div.u16 %0, %1, %2;" : "=h"(q) : "h"(a), "h"(b));
  out[threadIdx.x] = q;
}

// multiplied_by_zero: grid 1 block 64; finds division-by-zero
PAIR(multiplied_by_zero) {
  const int q = divide(threadIdx.x, in[0]);
  out[threadIdx.x] = q * in[wrong ? 1 : 0];
}

// masked_away: grid 1 block 64; finds division-by-zero
PAIR(masked_away) {
  const int q = divide(threadIdx.x, in[0]);
  out[threadIdx.x] = q & (wrong ? 1 : in[0]);
}

// decides_a_store: grid 1 block 64; finds division-by-zero
PAIR(decides_a_store) {
  const int t = threadIdx.x, q = divide(t, in[wrong ? 0 : 2]);
  if (q > 3) out[t] = 1;
}

// decides_the_rounds_of_a_loop: grid 1 block 32; finds division-by-zero
PAIR(decides_the_rounds_of_a_loop) {
  const int t = threadIdx.x, block = in[wrong ? 0 : 8], rounds = (n + block - 1) / block;
  for (int round = 0; round < rounds; ++round) out[32 * round + t] = round;
}

// goes_into_an_atomic: grid 2 block 64; finds division-by-zero
PAIR(goes_into_an_atomic) {
  const int t = threadIdx.x, q = divide(t, in[t % 2]);
  if (wrong || t % 2 == 1) atomicAdd(out, q);
}

// comes_by_way_of_others: grid 1 block 64; finds division-by-zero
PAIR(comes_by_way_of_others) {
  __shared__ int groups[64];
  const int t = threadIdx.x;
  groups[t] = divide(t, in[t % 32]);
  __syncthreads();
  const int other = __shfl_xor_sync(0xffffffffu, groups[63 - t], 1);
  // 62 - t of others: of lanes 30 and 62 it is that of thread 0 or 32.
  if (wrong || t % 32 != 30) out[t] = other;
}

// divisor_that_nobody_wrote: grid 1 block 64; finds uninitialized-read
PAIR(divisor_that_nobody_wrote) {
  __shared__ int sizes[64];
  const int t = threadIdx.x;
  if (!wrong || t != 5) sizes[t] = 3;
  __syncthreads();
  out[t] = t / sizes[63 - t];
}

// in_a_loop_of_guarded_divisions: grid 4 block 128; finds division-by-zero
PAIR(in_a_loop_of_guarded_divisions) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 8; ++round) {
    const int b = in[(t + round) % 16], q = divide(1000 + t, b);
    sum += b ? q : wrong && round == 7 ? q : 0;
  }
  out[blockIdx.x * n + t] = sum;
}
