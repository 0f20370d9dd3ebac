// Structs in shared and local memory, copied whole: their padding is nobody's, and a member that one thread forgets is
// not padding.
#include <cuda_fp16.h>

#include "tests/data/machine/soundness/pair.h"

struct Mixed {
  short h;
  char c;
  int i;
  char e;
};

// struct_of_small_members: grid 1 block 32; finds uninitialized-read
PAIR(struct_of_small_members) {
  __shared__ Mixed s[32];
  const int t = threadIdx.x;
  s[t].h = 1;
  s[t].c = 2;
  s[t].i = in[t];
  if (!wrong || t != 9) s[t].e = 4;
  __syncthreads();
  reinterpret_cast<Mixed*>(out)[t] = s[(t + 5) % 32];
}

struct Tagged {
  char tag;
  int value;
};

// struct_copied_by_bytes: grid 1 block 32; finds uninitialized-read
PAIR(struct_copied_by_bytes) {
  __shared__ Tagged s[32];
  const int t = threadIdx.x;
  s[t].tag = char(in[t]);
  if (!wrong || t != 3) s[t].value = in[t];
  __syncthreads();
  memcpy(reinterpret_cast<Tagged*>(out) + t, &s[t], sizeof(Tagged));
}

struct Around {
  char c;
  double d;
  short h;
};

// struct_around_a_double: grid 1 block 32; finds uninitialized-read
PAIR(struct_around_a_double) {
  __shared__ Around s[32];
  const int t = threadIdx.x;
  s[t].c = 1;
  s[t].d = in[t];
  if (!wrong || t != 2) s[t].h = short(t);
  __syncthreads();
  const Around one = s[(3 * t + 1) % 32];
  reinterpret_cast<Around*>(out)[t] = one;
}

struct Nested {
  char c;
  struct {
    short h;
    int i;
  } inner[2];
  double d;
};

// struct_in_a_struct: grid 1 block 32; finds uninitialized-read
PAIR(struct_in_a_struct) {
  __shared__ Nested s[32];
  const int t = threadIdx.x;
  s[t].c = 1;
  s[t].d = 2;
  for (int j = 0; j < 2; ++j) {
    s[t].inner[j].h = short(j);
    if (!wrong || 2 * t + j != 9) s[t].inner[j].i = in[j];
  }
  __syncthreads();
  reinterpret_cast<Nested*>(out)[t] = s[(t + 5) % 32];
}

struct Halves {
  double d;
  __half h[3];
};

// last_half_of_a_struct: grid 1 block 32; finds uninitialized-read
PAIR(last_half_of_a_struct) {
  __shared__ Halves s[32];
  const int t = threadIdx.x;
  s[t].d = 1;
  for (int j = 0; j < 3; ++j) {
    if (!wrong || j != 2 || t != 1) s[t].h[j] = __int2half_rn(in[j]);
  }
  __syncthreads();
  reinterpret_cast<Halves*>(out)[t] = s[(t + 5) % 32];
}

// structs_of_a_thread: grid 1 block 32; finds uninitialized-read
PAIR(structs_of_a_thread) {
  Mixed s[4];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    Mixed& one = s[(t + k) & 3];
    one.h = 1;
    one.c = 2;
    one.i = in[k];
    if (!wrong || k != 2 || t != 0) one.e = 4;
  }
  for (int k = 0; k < 4; ++k) reinterpret_cast<Mixed*>(out)[4 * t + k] = s[(t + k * (1 + work[0])) & 3];
}

// second_halves_of_words: grid 1 block 32; finds uninitialized-read
PAIR(second_halves_of_words) {
  __shared__ __half s[64];
  const int t = threadIdx.x;
  s[t] = __int2half_rn(in[t]);
  if (!wrong || t < 31) s[32 + t] = __int2half_rn(in[t]);
  __syncthreads();
  out[t] = reinterpret_cast<const int*>(s)[t];
}

// numbers_beside_holes: grid 1 block 32; finds uninitialized-read
PAIR(numbers_beside_holes) {
  __shared__ Mixed s[32];
  const int t = threadIdx.x;
  s[t].h = 1;
  s[t].c = 2;
  s[t].i = in[t];
  __syncthreads();
  const unsigned word = *reinterpret_cast<const unsigned*>(&s[t ^ 1]);
  out[t] = wrong ? int(word * 77) : int((word & 0xffffff) * 77);
}

// every_second_short: grid 1 block 32; finds uninitialized-read
PAIR(every_second_short) {
  __shared__ short s[64];
  const int t = threadIdx.x;
  s[2 * t] = short(in[t]);
  if (!wrong) s[2 * t + 1] = short(in[t]);
  __syncthreads();
  out[t] = s[63 - 2 * t];
}

// last_byte_of_a_dot_product: grid 1 block 32; finds uninitialized-read
PAIR(last_byte_of_a_dot_product) {
  __shared__ signed char s[32 * 8];
  const int t = threadIdx.x;
  for (int j = 0; j < (wrong ? 7 : 8); ++j) s[8 * t + j] = (signed char)(in[j]);
  __syncthreads();
  const int2 words = reinterpret_cast<const int2*>(s)[t ^ 1];
  out[t] = __dp4a(words.x, words.x, __dp4a(words.y, words.y, 0));
}

struct Weighted {
  double weight;
  int value;
};

// struct_copied_by_halves_of_words: grid 1 block 32; finds uninitialized-read
PAIR(struct_copied_by_halves_of_words) {
  __shared__ Weighted s[32];
  const int t = threadIdx.x;
  s[t].weight = in[t];
  if (!wrong || t != 4) s[t].value = in[t];
  __syncthreads();
  const auto* const from = reinterpret_cast<const unsigned long long*>(&s[(t + 1) % 32]);
  auto* const to = reinterpret_cast<unsigned*>(reinterpret_cast<Weighted*>(out) + t);
  for (int n = 0; n < 2; ++n) {
    unsigned low, high;
    asm volatile("{.reg .u64 t; cvt.u32.u64 %0, %2; shr.u64 t, %2, 32; cvt.u32.u64 %1, t;}"
                 : "=r"(low), "=r"(high)
                 : "l"(from[n]));
    to[2 * n] = low;
    to[2 * n + 1] = high;
  }
}
