// A transpose through a tile of shared memory, so that both sides are read and written along their rows.
//
//   out[column, row] = x[row, column]
//
// x f32 [rows, columns], out f32 [columns, rows]. Grid (column tiles, row tiles) of 32 x 32, block (32, 8).
enum Fault { None, MissingBarrier, MissingMask, PastTheTile, WrongStride };

template <Fault fault>
__device__ __forceinline__ void transpose(const float* x, float* out, int rows, int columns) {
  // The 33rd column keeps the 32 lanes that read down a column in 32 banks.
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int step = threadIdx.y; step < 32; step += 8) {
    const int row = blockIdx.y * 32 + step;
    if (fault == MissingMask || (row < rows && column < columns)) tile[step][threadIdx.x] = x[row * columns + column];
  }
  if (fault != MissingBarrier) __syncthreads();
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int step = threadIdx.y; step < 32; step += 8) {
    const int turned = blockIdx.x * 32 + step;
    const int stride = fault == WrongStride ? columns : rows;
    if (turned < columns && row < rows) {
      out[turned * stride + row] =
          fault == PastTheTile ? (&tile[0][0])[threadIdx.x * 33 + step + 33] : tile[threadIdx.x][step];
    }
  }
}

#define TRANSPOSE(name, fault)                                                         \
  extern "C" __global__ void name(const float* x, float* out, int rows, int columns) { \
    transpose<fault>(x, out, rows, columns);                                           \
  }

TRANSPOSE(transpose, None)
TRANSPOSE(transpose_missing_barrier, MissingBarrier)
TRANSPOSE(transpose_missing_mask, MissingMask)
TRANSPOSE(transpose_past_the_tile, PastTheTile)
TRANSPOSE(transpose_wrong_stride, WrongStride)
