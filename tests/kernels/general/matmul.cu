// A matrix product on the tensor cores: mma.sync m16n8k16, fragments by ldmatrix from shared memory, sums in f32.
//
//   c[m, n] = sum over k of a[m, k] b[k, n]
//
// a [M, K] and b [K, N] of f16 or bf16, c f32 [M, N]; M a multiple of 16, N of 32, K of 16. Grid (N / 32, M / 16),
// block 128: warp w makes columns [8 w, 8 w + 8) of the block's 16 x 32 tile.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum Fault { None, MissingBarrier, MissingTranspose, StepTooFar };

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], __half) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], __nv_bfloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <class X, Fault fault>
__device__ __forceinline__ void matmul(const X* a, const X* b, float* c, int K, int N) {
  __shared__ alignas(16) X a_tile[16][16];
  __shared__ alignas(16) X b_tile[16][32];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = blockIdx.y * 16, column = blockIdx.x * 32;
  float sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < (fault == StepTooFar ? K + 16 : K); k += 16) {
    for (int n = thread; n < 16 * 16; n += 128) a_tile[n / 16][n % 16] = a[(row + n / 16) * K + k + n % 16];
    for (int n = thread; n < 16 * 32; n += 128) b_tile[n / 32][n % 32] = b[(k + n / 32) * N + column + n % 32];
    if (fault != MissingBarrier) __syncthreads();
    // Lane l names row l % 8 of matrix l / 8: a's four quarters, then b's two halves.
    unsigned a_part[4], b_part[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a_part[0]), "=r"(a_part[1]), "=r"(a_part[2]), "=r"(a_part[3])
                 : "r"(shared_address(&a_tile[lane % 16][lane / 16 * 8]))
                 : "memory");
    const unsigned b_row = shared_address(&b_tile[lane % 16][warp * 8]);
    if (fault == MissingTranspose) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b_part[0]), "=r"(b_part[1])
                   : "r"(b_row)
                   : "memory");
    } else {
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b_part[0]), "=r"(b_part[1])
                   : "r"(b_row)
                   : "memory");
    }
    multiply(sum, a_part, b_part, X());
    __syncthreads();
  }
  // A lane holds two neighbours of row lane / 4 and two of the row 8 below.
  float* out = c + (row + lane / 4) * N + column + warp * 8 + lane % 4 * 2;
  out[0] = sum[0];
  out[1] = sum[1];
  out[8 * N] = sum[2];
  out[8 * N + 1] = sum[3];
}

#define MATMUL(name, X, fault) \
  extern "C" __global__ void name(const X* a, const X* b, float* c, int K, int N) { matmul<X, fault>(a, b, c, K, N); }

MATMUL(matmul_f16, __half, None)
MATMUL(matmul_bf16, __nv_bfloat16, None)
MATMUL(matmul_bf16_missing_barrier, __nv_bfloat16, MissingBarrier)
MATMUL(matmul_bf16_missing_transpose, __nv_bfloat16, MissingTranspose)
MATMUL(matmul_bf16_step_too_far, __nv_bfloat16, StepTooFar)
