// Rows of attention in shared memory, and the two sums over them that every attention kernel is made of.
//
// A block has 16 rows of its own, 4 a warp, and goes over those of the other side by 32, one a lane. In the forward the
// own rows are queries and the others keys.
#pragma once
#include "kernels/attention/rules.cuh"
#include "kernels/include/element.cuh"

constexpr int lanes = 32, warps = 4, rows = 4, tile_rows = warps * rows, chunk = 64, most_columns = 256;

// Rows of k and v as they lie in shared memory: a multiple of 4 columns, so that four are read at once.
using Tile = float[tile_keys][chunk + 4];

__device__ __forceinline__ int whole_fours(int columns) { return (columns + 3) & ~3; }

// The rows [first_key, first_key + 32) of a key or value head, `width` columns from first_column on; zero where there
// is none, so that what lies past the last key never enters a sum. `Stride` is what Rules::row_start takes.
template <class Rules, class T, class Stride>
__device__ __forceinline__ void load_tile(Tile& tile, const T* from, const Stride& token_stride, int first_key,
                                          int keys, int first_column, int width, int columns) {
  __syncthreads();
#pragma unroll 1
  for (int row = threadIdx.y; row < tile_keys; row += warps) {
    const bool is_row = first_key + row < keys;
    const long long start = is_row ? Rules::row_start(first_key + row, token_stride) + first_column : 0;
#pragma unroll 1
    for (int column = threadIdx.x; column < width; column += lanes) {
      const bool inside = is_row && first_column + column < columns;
      tile[row][column] = inside ? to_float(from[start + column]) : 0.0f;
    }
  }
  __syncthreads();
}

// The block's own rows, [first, first + 16) of `count`; zero where there is none.
template <class T>
__device__ __forceinline__ void load_rows(float (&own)[tile_rows][most_columns], const T* from, long long stride,
                                          int first, int count, int columns) {
#pragma unroll 1
  for (int row = threadIdx.y; row < tile_rows; row += warps) {
#pragma unroll 1
    for (int column = threadIdx.x; column < whole_fours(columns); column += lanes) {
      const bool inside = first + row < count && column < columns;
      own[row][column] = inside ? to_float(from[(first + row) * stride + column]) : 0.0f;
    }
  }
}

// Adds to product[r] that of the warp's own row r and the lane's other row, start + lane of `count`.
template <class Rules, class T, class Stride>
__device__ __forceinline__ void add_products(float (&product)[rows], const float (&own)[tile_rows][most_columns],
                                             Tile& tile, const T* from, const Stride& stride, int start, int count,
                                             int columns) {
  for (int column = 0; column < columns; column += chunk) {
    const int width = whole_fours(min(chunk, columns - column));
    load_tile<Rules>(tile, from, stride, start, count, column, width, columns);
#pragma unroll 2
    for (int c = 0; c < width; c += 4) {
      const float4 other = *reinterpret_cast<const float4*>(&tile[threadIdx.x][c]);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const float4 mine = *reinterpret_cast<const float4*>(&own[threadIdx.y * rows + r][column + c]);
        product[r] += mine.x * other.x;
        product[r] += mine.y * other.y;
        product[r] += mine.z * other.z;
        product[r] += mine.w * other.w;
      }
    }
  }
}

// Adds to the sums of the warp's own rows the other rows [start, start + used) of `count`, by the weights that the
// lanes have of them; sums[r][n] is of column 32 n + lane.
template <class Rules, int chunks, class T, class Stride>
__device__ __forceinline__ void add_weighted(float (&sums)[rows][2 * chunks], const float (&weights)[rows], Tile& tile,
                                             const T* from, const Stride& stride, int start, int used, int count,
                                             int columns) {
#pragma unroll
  for (int n = 0; n < chunks; ++n) {
    if (n * chunk >= columns) break;
    load_tile<Rules>(tile, from, stride, start, count, n * chunk, chunk, columns);
#pragma unroll 2
    for (int other = 0; other < used; ++other) {
      const float low = tile[other][threadIdx.x], high = tile[other][threadIdx.x + lanes];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const float weight = __shfl_sync(0xffffffffu, weights[r], other);
        sums[r][2 * n] += weight * low;
        sums[r][2 * n + 1] += weight * high;
      }
    }
  }
}

// Stores a row of sums, each times `factor`.
template <class T, int chunks>
__device__ __forceinline__ void store_row(T* to, const float (&sums)[2 * chunks], float factor, int columns) {
#pragma unroll
  for (int n = 0; n < 2 * chunks; ++n) {
    const int column = n * lanes + threadIdx.x;
    if (column >= columns) break;
    to[column] = from_float<T>(sums[n] * factor);
  }
}
