// Accesses inside of a tensor, but outside of what they were meant for.
#include "kernels/include/ropewalk_index.cuh"

// out[row, column] = cosine[row * stride + column] + sine[...]; table rows are [cos | sin], width columns are added.
extern "C" __global__ void add_halves(const float* cosine, const float* sine, float* out, int width, int stride) {
  const int row = blockIdx.x, column = threadIdx.x;
  if (column >= width) return;
  const float c = cosine[row * stride + column];  // the read of the cosine
  const float s = sine[row * stride + column];    // the read of the sine
  out[row * blockDim.x + column] = c + s;
}

// out[row, 0..width) = 1
extern "C" __global__ void fill_rows(float* out, int width, int stride) {
  if (threadIdx.x < width) out[blockIdx.x * stride + threadIdx.x] = 1;  // the write of a row
}

// x [rows, stride], of which `width` columns are copied.
extern "C" __global__ void copy_rows(const float* x, float* out, int width, int stride) {
  const int row = blockIdx.x, column = threadIdx.x;
  if (column < width) out[row * blockDim.x + column] = x[row * stride + column];  // the read of a row
}

// x [heads, head_dim]: the index is stated, and must not run into the next head.
extern "C" __global__ void copy_head(const float* x, float* out, int head_dim, int width, int start) {
  const int head = blockIdx.x, column = int(threadIdx.x) + start;
  if (column >= width) return;
  RW_INDEX(column, head_dim, "x.head_dim");  // the statement
  out[head * blockDim.x + threadIdx.x] = x[head * head_dim + column];
}
