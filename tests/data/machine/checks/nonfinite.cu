// Where a NaN or an infinity comes from. Outputs are finite.
#include <math_constants.h>

// out = x / y
extern "C" __global__ void divide(const float* x, const float* y, float* out) {
  out[threadIdx.x] = x[threadIdx.x] / y[threadIdx.x];  // the division
}

// out = exp(x - x's infinity)
extern "C" __global__ void subtract_limits(const float* x, float* out, float limit) {
  const float largest = fmaxf(x[threadIdx.x], limit);
  const float difference = x[threadIdx.x] - largest;  // the difference
  out[threadIdx.x] = __expf(difference);
}

extern "C" __global__ void logarithm(const float* x, float* out) {
  out[threadIdx.x] = __log2f(x[threadIdx.x]);  // the logarithm
}

// A constant infinity that is replaced before it is stored, or is not.
extern "C" __global__ void smallest_of_some(const float* x, float* out, int count) {
  float smallest = CUDART_INF_F;
  for (int n = 0; n < count; ++n) smallest = fminf(smallest, x[32 * n + threadIdx.x]);
  out[threadIdx.x] = count ? smallest : 0;
}

// Softmax of a row of 32; columns from `count` on are masked with -infinity.
extern "C" __global__ void masked_softmax(const float* x, float* out, int count) {
  const float value = threadIdx.x < count ? x[threadIdx.x] : -CUDART_INF_F;
  float largest = value, sum;
  for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
  const float weight = __expf(value - largest);  // the weight
  sum = weight;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  out[threadIdx.x] = weight / sum;
}

// Through shared memory and a second loop: the origin is where the NaN was made, not where it was stored.
extern "C" __global__ void root_by_tile(const float* x, float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = sqrtf(x[threadIdx.x]);  // the root
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x] * 2 + 1;
}

// Scores of 16 queries and 8 keys through shared memory, cp.async, ldmatrix and mma: the origin is the root, not the
// product or the sum that a NaN went through.
extern "C" __global__ void scores_of_roots(const float* x, const unsigned short* k, float* out) {
  __shared__ __align__(16) unsigned short tile_q[16][16], tile_k[8][16];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) {
    const float root = sqrtf(x[blockIdx.x * 256 + i]);  // the root of an element
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(tile_q[i / 16][i % 16]) : "f"(root));
  }
  if (lane < 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(&tile_k[lane / 2][lane % 2 * 8]))),
                 "l"(k + lane * 8));
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  unsigned a[4], b[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(unsigned(__cvta_generic_to_shared(&tile_q[lane % 16][lane / 16 * 8]))));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(b[0]), "=r"(b[1]) : "r"(unsigned(__cvta_generic_to_shared(&tile_k[lane % 8][lane / 8 % 2 * 8]))));
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float* row = out + blockIdx.x * 128 + lane / 4 * 8 + lane % 4 * 2;
  for (int i = 0; i < 4; ++i) row[i / 2 * 64 + i % 2] = d[i] + __shfl_sync(0xffffffffu, 0.0f * d[i], lane & ~3);
}

// Blocks of 32: out = x / y
extern "C" __global__ void divide_by_blocks(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = x[i] / y[i];  // the division of a block
}
