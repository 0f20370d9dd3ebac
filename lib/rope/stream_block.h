// The inner loop of streaming: a block of rows that lie behind one another, at neighbouring positions.
#pragma once
#include <vector>

#include "lib/base/dtype.h"

namespace ropewalk {

// Arrays by column. Column k of row n should hold value[k] after n steps of
// (value, quarter) <- (value step_cos - quarter step_sin, quarter step_cos + value step_sin),
// which turns cos to cos and, with the sign of quarter as it is set, sin to sin.
struct StreamColumns {
  std::vector<double> value, quarter, step_cos, step_sin;
  std::vector<double> slope;  // of the bound over the position
  double constant = 0, relative = 0, largest = 2;
};

// Rows whose values are judged before the recurrence starts anew from exact angles: its error stays below 2^-40.
constexpr i64 rows_a_block = 256;

// Judges `rows` <= rows_a_block rows of columns.value.size() elements of F32, F16, BF16 or F64 at `data`; the first row
// is at `position`. Writes to wrong[n] how many values of row n are outside of their bounds. The columns are moved on.
void stream_block(const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns, i64* wrong);

}  // namespace ropewalk
