// The inner loop of streaming: a block of rows that lie behind one another, at neighbouring positions.
#pragma once
#include <new>
#include <vector>

#include "lib/base/dtype.h"

namespace ropewalk::rope {

// How a row is made of parts that are as wide as the arrays of StreamColumns.
enum class RowParts : u8 {
  One,          // each column for itself
  Twice,        // the columns come once more: repeated halves
  TwoFunctions  // the columns of one function, then those of the other at the same angles: [cos | sin]
};

// Memory that begins with a cache line, so that no vector lies in two of them.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory, line); }
  bool operator==(const LineAllocator&) const = default;
};
using LineVector = std::vector<double, LineAllocator<double>>;

// Arrays by column of one part. Column k of row n should hold value[k] after n steps of
// (value, quarter) <- (value step_cos - quarter step_sin, quarter step_cos + value step_sin),
// which turns cos to cos and, with the sign of quarter as it is set, sin to sin. Of two functions the second is
// quarter.
struct StreamColumns {
  RowParts parts = RowParts::One;
  LineVector value, quarter, step_cos, step_sin;
  LineVector slope;  // of the bound over the position
  double constant = 0, relative = 0, largest = 2;
};

// Rows whose values are judged before the recurrence starts again from exact angles: its error stays below 2^-40.
constexpr i64 rows_a_block = 1024;

// Judges `rows` <= rows_a_block rows of F32, F16, BF16 or F64 at `data`, each as wide as the parts together; the first
// row is at `position`. Writes to wrong[n] how many values of row n are outside of their bounds. The columns are moved
// on.
void stream_block(const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns, i64* wrong);

}  // namespace ropewalk::rope
