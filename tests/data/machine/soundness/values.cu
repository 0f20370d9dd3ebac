// Races whose value matters, or does not.
#include "tests/data/machine/soundness/pair.h"

// A load that the compiler leaves where it is.
static __device__ __forceinline__ int load(const int* at) {
  int value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
static __device__ __forceinline__ int load_shared(const int* at) {
  int value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"((unsigned)__cvta_generic_to_shared(at)) : "memory");
  return value;
}

// copies_in_place: grid 2 block 64; finds global-race
PAIR(copies_in_place) {
  const int t = threadIdx.x, at = blockIdx.x * 32 + t % 32;
  const int v = load(&work[at]) + 5;
  if (t < 32)
    work[at] = v;
  else if (wrong)
    out[at] = v;
}

// copies_rotate_in_place: grid 1 block 128; finds global-race
PAIR(copies_rotate_in_place) {
  const int t = threadIdx.x, pair = t % 64;
  const int a = load(&work[pair]), b = load(&work[pair + 64]);
  const int x = a * 3 - b * 4, y = a * 4 + b * 3;
  if (t < 64) {
    work[pair] = x;
    work[pair + 64] = y;
  }
  if (wrong && t == 70) out[0] = y;
}

// copy_that_only_compares: grid 1 block 64; finds global-race
PAIR(copy_that_only_compares) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t] + v;
  int kept = 3;
  if (t >= 32) kept = v > 4 ? 1 : 2;
  if (wrong || t < 32) out[t] = kept;
}

// racing_address: grid 1 block 64; finds global-race
PAIR(racing_address) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t];
  const int other = load(&in[wrong ? v & 63 : t]);
  if (t >= 40) out[t] = other;
}

// racing_branch: grid 1 block 64; finds global-race
PAIR(racing_branch) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t] + 1;
  if (t >= 32 && (wrong ? v : in[t]) > 3) out[t] = 1;
}

// racing_atomic: grid 1 block 64; finds global-race
PAIR(racing_atomic) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t] + 1;
  if (t >= 32) atomicAdd(&out[0], wrong ? v : t);
}

// through_shared_memory: grid 1 block 64; finds global-race
PAIR(through_shared_memory) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t] + 1;
  s[t] = v;
  __syncthreads();
  const int other = load_shared(&s[63 - t]);
  if (t < 32 ? wrong : true) out[t] = other;
}

// masked_off: grid 1 block 64; finds global-race
PAIR(masked_off) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) work[t] = in[t] + 1;
  out[t] = wrong || t < 32 ? v : (v & 0) + t;
}

// half_of_a_word: grid 1 block 64; finds global-race
PAIR(half_of_a_word) {
  const int t = threadIdx.x;
  const int v = load(&work[t % 32]);
  if (t < 32) reinterpret_cast<short*>(work)[2 * t] = short(t + 1);
  out[t] = t < 32 ? v : wrong ? v & 0xffff : v >> 16;
}

// copies_in_shared_memory: grid 1 block 64; finds shared-race
PAIR(copies_in_shared_memory) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) s[t] = in[t];
  __syncthreads();
  const int v = load_shared(&s[t % 32]) * 2;
  if (t < 32) s[t] = v;
  if (wrong && t >= 32) out[t] = v;
  __syncthreads();
  if (t < 32) out[t] = load_shared(&s[t]);
}

// sums_that_round: grid 1 block 32; finds shared-race
PAIR(sums_that_round) {
  __shared__ float s[1];
  const int t = threadIdx.x;
  float v = 1.0f / float(in[t] + 3);
  for (int d = 16; d; d /= 2) v = fmaf(v, 1.0f / 3, __shfl_xor_sync(0xffffffffu, v, d) * (1.0f / 3));
  if (wrong) v += float(t);
  asm volatile("st.shared.f32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "f"(v) : "memory");
  __syncwarp();
  out[t] = int(s[0] * 1000);
}

// sums_to_one_place: grid 2 block 32; finds global-race
PAIR(sums_to_one_place) {
  const int t = threadIdx.x;
  float v = 2.0f / float(in[t] + 7);
  for (int d = 16; d; d /= 2) v = fmaf(v, 0.7f, __shfl_xor_sync(0xffffffffu, v, d) * 0.7f);
  if (wrong) v *= 1 + (t & 1) * 1e-3f;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(out + blockIdx.x), "f"(v) : "memory");
}

// one_value_by_all: grid 2 block 64; finds global-race
PAIR(one_value_by_all) { out[0] = wrong ? int(threadIdx.x) : 7; }

// sums_that_cancel: grid 1 block 32; finds shared-race
PAIR(sums_that_cancel) {
  __shared__ float s[1];
  const int t = threadIdx.x;
  float v = (t & 1 ? 1.0f : -1.0f) / float(in[t / 2] + 3) + 1e-4f;
  for (int d = 16; d; d /= 2) v = fmaf(v, 0.37f, __shfl_xor_sync(0xffffffffu, v, d) * 0.37f);
  if (wrong) v += t * 1e-3f;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "f"(v) : "memory");
  __syncwarp();
  out[t] = int(s[0] * 1000);
}

// sums_kept_in_two_warps: grid 1 block 64; finds shared-race
PAIR(sums_kept_in_two_warps) {
  __shared__ float s[1];
  const int t = threadIdx.x;
  float v = 1.0f / float(in[t % 32] + 3);
  for (int d = 16; d; d /= 2) v = fmaf(v, 1.0f / 3, __shfl_xor_sync(0xffffffffu, v, d) * (1.0f / 3));
  if (wrong && t >= 32) v *= 1.01f;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "f"(v) : "memory");
  __syncthreads();
  out[t] = int(s[0] * 1000);
}

// sum_by_compare_and_swap: grid 8 block 64; finds global-race
PAIR(sum_by_compare_and_swap) {
  // As atomicAdd for double in the CUDA C++ Programming Guide.
  unsigned long long* const sum = (unsigned long long*)work;
  unsigned long long old = *sum, assumed;
  const double mine = 1 + threadIdx.x;
  do {
    assumed = old;
    const unsigned long long more = __double_as_longlong(__longlong_as_double(assumed) + mine);
    if (wrong) {
      *sum = more;
      break;
    }
    old = atomicCAS(sum, assumed, more);
  } while (old != assumed);
}

// largest_by_compare_and_swap: grid 8 block 64; finds global-race
PAIR(largest_by_compare_and_swap) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *work, assumed;
  do {
    assumed = old;
    // A value that another read gave is not what the swap confirms.
    const int more = wrong ? work[0] + in[t] : max(assumed, in[t]);
    old = atomicCAS(work, assumed, more);
  } while (old != assumed);
}

struct Best {
  double value;
  int index;  // four bytes of padding behind it
};

// struct_with_padding: grid 1 block 64; finds uninitialized-read
PAIR(struct_with_padding) {
  __shared__ Best s[64];
  const int t = threadIdx.x;
  if (!wrong || t < 60) s[t] = {double(in[t]), t};
  __syncthreads();
  for (int distance = 32; distance; distance /= 2) {
    if (t < distance && s[t + distance].value > s[t].value) s[t] = s[t + distance];
    __syncthreads();
  }
  if (t == 0) reinterpret_cast<Best*>(out)[0] = s[0];
}

struct Flagged {
  float value;
  bool flag;  // three bytes of padding behind it
};

// flags_with_padding: grid 1 block 64; finds uninitialized-read
PAIR(flags_with_padding) {
  __shared__ Flagged s[64];
  const int t = threadIdx.x;
  s[t].value = in[t];
  if (!wrong || t < 60) s[t].flag = in[t] & 1;
  __syncthreads();
  reinterpret_cast<Flagged*>(out)[t] = s[63 - t];
}

// odd_count_beside_doubles: grid 1 block 64; finds uninitialized-read
PAIR(odd_count_beside_doubles) {
  __shared__ double sums[64];
  __shared__ int counts[64];
  const int t = threadIdx.x, many = wrong ? 63 : 64;
  sums[t] = in[t];
  if (t < many) counts[t] = in[t];
  __syncthreads();
  out[t] = counts[63 - t] + int(sums[63 - t]);
}

// value_before_its_mask: grid 1 block 64; finds uninitialized-read
PAIR(value_before_its_mask) {
  __shared__ int s[64];
  const int t = threadIdx.x, rows = 40 + work[0];
  if (t < rows) s[t] = in[t];
  __syncthreads();
  if (s[t] > 3 && t < (wrong ? rows + 1 : rows)) out[t] = 1;
}

// largest_of_a_tile_with_a_tail: grid 1 block 64; finds uninitialized-read
PAIR(largest_of_a_tile_with_a_tail) {
  __shared__ int s[64];
  const int t = threadIdx.x, rows = 40 + work[0];
  if (t < rows) s[t] = in[t] * 7 % 41;
  __syncthreads();
  int most = -1, where = -1, count = 0;
  for (int k = 0; k < 64; ++k) {
    if (s[k] > most && k < rows) most = s[k], where = k;
    count += s[k] > 9 && k < (wrong ? rows + 1 : rows);
  }
  out[t] = most + where + count;
}

// rows_that_go_on_before_their_mask: grid 1 block 32; finds uninitialized-read
PAIR(rows_that_go_on_before_their_mask) {
  __shared__ int s[32];
  const int t = threadIdx.x, rows = 20 + work[0];
  if (t < rows) s[t] = in[t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k) {
    if (s[k] <= 3) continue;
    if (k >= rows) continue;
    sum += s[k];
  }
  if (wrong && s[t] == 31) out[64 + t] = t;
  out[t] = sum;
}

// search_that_ends_by_its_bound: grid 1 block 32; finds uninitialized-read
PAIR(search_that_ends_by_its_bound) {
  __shared__ int s[33];
  const int t = threadIdx.x, rows = 20 + work[0];
  if (t < rows) s[t] = in[t];
  __syncthreads();
  int at = 0;
  while (s[at] < in[t] + 5 && at < (wrong ? rows + 1 : rows)) ++at;
  out[t] = at;
}

// undefined_part_of_or: grid 1 block 64; finds uninitialized-read
PAIR(undefined_part_of_or) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 32) s[t] = in[t];
  // One that holds decides, whatever the upper half is.
  out[t] = __syncthreads_or(load_shared(&s[t]) > (wrong ? 1 << 30 : 5));
}

// undefined_part_of_and: grid 1 block 64; finds uninitialized-read
PAIR(undefined_part_of_and) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 32) s[t] = in[t];
  out[t] = __syncthreads_and(load_shared(&s[t]) > (wrong ? -1 : 5));
}

// undefined_part_of_count: grid 1 block 64; finds uninitialized-read
PAIR(undefined_part_of_count) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < (wrong ? 63 : 64)) s[t] = in[t];
  const int holding = __syncthreads_count(load_shared(&s[t]) > 5);
  if (holding > 9) out[t] = holding;
}

// undefined_byte_of_a_word: grid 1 block 32; finds uninitialized-read
PAIR(undefined_byte_of_a_word) {
  __shared__ __align__(4) unsigned char bytes[128];
  const int t = threadIdx.x;
  for (int n = 0; n < 3; ++n) bytes[4 * t + n] = in[t] + n;
  int word, value;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"((unsigned)__cvta_generic_to_shared(bytes + 4 * t)) : "memory");
  if (wrong)
    asm volatile("{.reg .s8 s<4>; mov.b32 {s0, s1, s2, s3}, %1; cvt.s32.s8 %0, s3;}" : "=r"(value) : "r"(word));
  else
    asm volatile("{.reg .s8 s<4>; mov.b32 {s0, s1, s2, s3}, %1; cvt.s32.s8 %0, s2;}" : "=r"(value) : "r"(word));
  out[t] = value;
}

// matched_with_some_lanes: grid 1 block 32; finds uninitialized-read
PAIR(matched_with_some_lanes) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x, many = 20;
  if (t < many) s[t] = in[t] % 3;
  __syncwarp();
  const unsigned same = __match_any_sync(~0u, s[t]);
  if (t < many) out[t] = __popc(wrong ? same : same & ((1u << many) - 1));
}

// matched_with_what_is_known_of_it: grid 1 block 32; finds uninitialized-read
PAIR(matched_with_what_is_known_of_it) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  const int value = t < 20 ? 2 * t : wrong ? s[t] : (s[t] | 1);
  const unsigned same = __match_any_sync(~0u, value);
  if (t < 20) out[t] = __popc(same);
}

// all_matched_or_not: grid 1 block 32; finds uninitialized-read
PAIR(all_matched_or_not) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  int all;
  const int value = t < 20 ? (wrong ? 5 : in[t]) : s[t];
  __match_all_sync(~0u, value, &all);
  out[t] = all;
}

// raced_value_in_a_volatile_store: grid 1 block 64; finds shared-race
PAIR(raced_value_in_a_volatile_store) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = in[t];
  if (!wrong) __syncthreads();
  *(volatile int*)&out[t] = s[t ^ 32];
}
