// Numbers the elements of a matrix that may have more than 2^31 of them.
//
//   out[row, column] = column
//
// out f32 [rows, columns]. Grid (rows), block 128.
extern "C" __global__ void fill_rows(float* out, int columns) {
  for (int column = threadIdx.x; column < columns; column += 128) {
    out[static_cast<long long>(blockIdx.x) * columns + column] = column;
  }
}

// Faulty: row x columns is a product of ints.
extern "C" __global__ void fill_rows_int(float* out, int columns) {
  const int row = blockIdx.x;
  for (int column = threadIdx.x; column < columns; column += 128) {
    out[row * columns + column] = column;
  }
}
