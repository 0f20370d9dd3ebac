// Column sums with two buffers of shared memory: while one row is added up, the next is on its way by cp.async.
//
//   out[i] = sum over rows r of x[r, i] x[r, 511 - i]
//
// x f32 [rows, 512], out f32 [512]. Grid 1, block 128: each thread copies 16 bytes of a row and sums four columns,
// which other threads copied.
#include <cuda_pipeline_primitives.h>

enum Fault { None, MissingWait, WaitForOneLess, MissingBarrier, OverwrittenEarly };

template <Fault fault>
__device__ __forceinline__ void sum_products(const float* x, float* out, int rows) {
  __shared__ alignas(16) float buffer[2][512];
  const int thread = threadIdx.x;
  float sum[4] = {0, 0, 0, 0};
  __pipeline_memcpy_async(&buffer[0][thread * 4], &x[thread * 4], 16);
  __pipeline_commit();
  for (int row = 0; row < rows; ++row) {
    if (row + 1 < rows) {
      __pipeline_memcpy_async(&buffer[(row + 1) % 2][thread * 4], &x[(row + 1) * 512 + thread * 4], 16);
    }
    __pipeline_commit();
    // All but the youngest group, which is the next row.
    if (fault == WaitForOneLess) {
      __pipeline_wait_prior(2);
    } else if (fault != MissingWait) {
      __pipeline_wait_prior(1);
    }
    if (fault != MissingBarrier) __syncthreads();
    for (int j = 0; j < 4; ++j) {
      const int column = thread + j * 128;
      sum[j] += buffer[row % 2][column] * buffer[row % 2][511 - column];
    }
    if (fault != OverwrittenEarly) __syncthreads();
  }
  for (int j = 0; j < 4; ++j) out[thread + j * 128] = sum[j];
}

#define SUM_PRODUCTS(name, fault) \
  extern "C" __global__ void name(const float* x, float* out, int rows) { sum_products<fault>(x, out, rows); }

SUM_PRODUCTS(sum_products, None)
SUM_PRODUCTS(sum_products_missing_wait, MissingWait)
SUM_PRODUCTS(sum_products_wait_for_one_less, WaitForOneLess)
SUM_PRODUCTS(sum_products_missing_barrier, MissingBarrier)
SUM_PRODUCTS(sum_products_overwritten_early, OverwrittenEarly)
