// A matrix in panels: 128 bytes of its columns side by side, for each of its rows in turn, padded with zeros. The right
// factor of a product is read so, one stretch of memory after the other.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "lib/base/types.h"
#include "reference/fast/kernels.h"

namespace ropewalk::reference {

// Room for numbers that starts at a cache line; what it held is gone when more is asked for.
template <class Real>
class Room {
 public:
  Real* of(i64 count) {
    if (count > count_) {
      held_.reset(static_cast<Real*>(::operator new(u64(count) * sizeof(Real), line)));
      count_ = count;
    }
    return held_.get();
  }
  Real* zeros(i64 count) { return std::fill_n(of(count), count, Real(0)) - count; }
  Real* get() const { return held_.get(); }

 private:
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(Real* numbers) const { ::operator delete(numbers, line); }
  };
  std::unique_ptr<Real, Free> held_;
  i64 count_ = 0;
};

template <class Real>
i64 panels_of(i64 columns) {
  return (columns + panel_columns<Real> - 1) / panel_columns<Real>;
}

// `columns` and what is padded.
template <class Real>
i64 padded(i64 columns) {
  return panels_of<Real>(columns) * panel_columns<Real>;
}

// Element (row, column) of a matrix of doubles is from[row * row_stride + column * column_stride].
struct Matrix {
  const double* from;
  i64 rows, columns, row_stride, column_stride;

  Matrix transposed() const { return {from, columns, rows, column_stride, row_stride}; }
};

// Fills rows x padded(columns) numbers.
template <class Real>
void fill_panels(const Matrix& matrix, Real* to) {
  constexpr i64 width = panel_columns<Real>;
  for (i64 first = 0; first < matrix.columns; first += width) {
    const i64 columns = std::min(width, matrix.columns - first);
    for (i64 row = 0; row < matrix.rows; ++row, to += width) {
      const double* from = matrix.from + row * matrix.row_stride + first * matrix.column_stride;
      for (i64 n = 0; n < columns; ++n) to[n] = Real(from[n * matrix.column_stride]);
      for (i64 n = columns; n < width; ++n) to[n] = 0;
    }
  }
}

// The same of the numbers' sizes.
template <class Real>
void fill_panels_of_sizes(const Matrix& matrix, Real* to) {
  fill_panels(matrix, to);
  for (i64 n = 0; n < matrix.rows * padded<Real>(matrix.columns); ++n) to[n] = std::abs(to[n]);
}

}  // namespace ropewalk::reference
