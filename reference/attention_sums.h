// Gradients while they are summed up, and the rows that they are sums of.
#pragma once
#include <cmath>

#include "reference/attention_bound.h"
#include "reference/fast/panels.h"
#include "reference/rotary.h"

namespace ropewalk::reference {

// A right factor: panels of so many rows.
template <class Real>
struct Right {
  const Real* panels;
  i64 rows;
};

// Rows as a left factor, and as right ones, block by block: of their numbers, and of the sizes of these.
class RightRows {
 public:
  explicit RightRows(i64 block_rows) : block_rows_(block_rows) {}

  Room<double> left;

  // From `left`.
  void fill(i64 count, i64 columns) {
    count_ = count;
    columns_ = columns;
    values_.of(count * padded<double>(columns));
    sizes_.of(count * padded<float>(columns));
    for (i64 first = 0; first < count; first += block_rows_) {
      const Matrix block{left.get() + first * columns, std::min(block_rows_, count - first), columns, columns, 1};
      fill_panels(block, values_.get() + first * padded<double>(columns));
      fill_panels_of_sizes(block, sizes_.get() + first * padded<float>(columns));
    }
  }
  // The block that starts with that row.
  Right<double> values(i64 first) const {
    return {values_.get() + first * padded<double>(columns_), std::min(block_rows_, count_ - first)};
  }
  Right<float> sizes(i64 first) const {
    return {sizes_.get() + first * padded<float>(columns_), std::min(block_rows_, count_ - first)};
  }

 private:
  i64 block_rows_, count_ = 0, columns_ = 0;
  Room<double> values_;
  Room<float> sizes_;
};

// Sums of rows of a gradient, and of the share that each term has in their errors.
class Sums {
 public:
  void start(i64 rows, i64 columns) {
    columns_ = columns;
    values_.zeros(rows * padded<double>(columns));
    shares_.zeros(rows * padded<float>(columns));
  }
  i64 columns() const { return columns_; }

  // The products that add `depth` terms to each of the rows [first, first + count).
  Product<double> values(i64 first, i64 count, const double* left, i64 left_row, i64 left_depth, Right<double> right,
                         i64 depth) {
    return product(values_, first, count, left, left_row, left_depth, right, depth);
  }
  Product<float> shares(i64 first, i64 count, const float* left, i64 left_row, i64 left_depth, Right<float> right,
                        i64 depth) {
    return product(shares_, first, count, left, left_row, left_depth, right, depth);
  }

  // Writes a row's gradient and its bound; a share counts `share_times`.
  void finish(i64 row, double scale, const ElementBound& bound, double share_times, ExpectedValues to) const {
    const double* const value = values_.get() + row * padded<double>(columns_);
    const float* const share = shares_.get() + row * padded<float>(columns_);
    for (i64 column = 0; column < columns_; ++column) {
      to.value[column] = scale * value[column];
      to.bound[column] = bound.of(to.value[column], share_times * double(share[column]));
    }
  }

 private:
  template <class Real>
  Product<Real> product(Room<Real>& sums, i64 first, i64 count, const Real* left, i64 left_row, i64 left_depth,
                        Right<Real> right, i64 depth) const {
    const i64 row = padded<Real>(columns_);
    return {left,
            count,
            left_row,
            left_depth,
            right.panels,
            panels_of<Real>(columns_),
            right.rows * panel_columns<Real>,
            depth,
            sums.get() + first * row,
            row,
            true};
  }

  i64 columns_ = 0;
  Room<double> values_;
  Room<float> shares_;
};

}  // namespace ropewalk::reference
