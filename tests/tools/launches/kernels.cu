// Kernels of the launch files in this folder. kernels/build_ptx.sh rebuilds the checked-in PTX.
#include "kernels/include/ropewalk_index.cuh"

// out[i, c] = table[ids[i], c]: one block a row, one thread a column.
extern "C" __global__ void gather_rows(const float* table, const int* ids, float* out, int rows, int columns) {
  const int column = threadIdx.x;
  const int row = ids[blockIdx.x];
  if (column >= columns || row < 0 || row >= rows) return;
  out[blockIdx.x * columns + column] = table[row * columns + column];
}

// The same without looking at the row.
extern "C" __global__ void gather_rows_unguarded(const float* table, const int* ids, float* out, int columns) {
  const int column = threadIdx.x;
  if (column >= columns) return;
  out[blockIdx.x * columns + column] = table[ids[blockIdx.x] * columns + column];
}

// Each block of 128 threads turns its part of x round.
extern "C" __global__ void reverse_parts(const float* x, float* out) {
  __shared__ float part[128];
  const int first = blockIdx.x * 128;
  part[threadIdx.x] = x[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = part[127 - threadIdx.x];
}

// The same without the barrier.
extern "C" __global__ void reverse_parts_unsynchronised(const float* x, float* out) {
  __shared__ float part[128];
  const int first = blockIdx.x * 128;
  part[threadIdx.x] = x[first + threadIdx.x];
  out[first + threadIdx.x] = part[127 - threadIdx.x];
}

// out = x / (sum of x over the row): a row of zeros has no answer.
extern "C" __global__ void normalise_rows(const float* x, float* out, int columns) {
  const float* const row = x + blockIdx.x * columns;
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += row[column];
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    out[blockIdx.x * columns + column] = row[column] / sum;
  }
}

// Counts from 0 to `last` in steps: a step of 0 never arrives.
extern "C" __global__ void count_up(int* out, int last, int step) {
  volatile int count = 0;
  while (count < last) count = count + step;
  out[threadIdx.x] = count;
}

// Marks the first column of every row; the product of row and stride is taken in 32 bits.
extern "C" __global__ void mark_rows(unsigned char* out, int stride) { out[int(blockIdx.x) * stride] = 1; }

// The same with a product in 64 bits.
extern "C" __global__ void mark_rows_wide(unsigned char* out, int stride) {
  out[static_cast<long long>(blockIdx.x) * stride] = 1;
}

// Copies `width` columns of each head of head_dim columns.
extern "C" __global__ void copy_columns(const float* x, float* out, int head_dim, int width) {
  const int column = threadIdx.x;
  if (column >= width) return;
  RW_INDEX(column, head_dim, "x.head_dim");
  out[blockIdx.x * head_dim + column] = x[blockIdx.x * head_dim + column];
}
