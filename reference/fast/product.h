// The product of two matrices, the right one in panels. Each element is summed in the order of the depth, whatever
// lies around it.
#pragma once
#include "reference/fast/kernels.h"
#include "reference/fast/lanes.h"

namespace ropewalk::reference {
namespace RW_INSTRUCTION_SET {

// Adds to `rows` rows of two vectors; sums stay in registers.
template <class Real, int rows>
RW_LANE void product_tile(const Product<Real>& p, const Real* left, const Real* right, Real* to) {
  Vector<Real> sums[rows][2];
#pragma GCC unroll 8
  for (int row = 0; row < rows; ++row) {
    sums[row][0] = p.adds ? load(to + row * p.to_row) : Vector<Real>{};
    sums[row][1] = p.adds ? load(to + row * p.to_row + lanes<Real>) : Vector<Real>{};
  }
  for (i64 n = 0; n < p.depth; ++n, left += p.left_depth, right += panel_columns<Real>) {
    const Vector<Real> first = load(right), second = load(right + lanes<Real>);
#pragma GCC unroll 8
    for (int row = 0; row < rows; ++row) {
      const Real factor = left[row * p.left_row];
      sums[row][0] += factor * first;
      sums[row][1] += factor * second;
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < rows; ++row) {
    store(to + row * p.to_row, sums[row][0]);
    store(to + row * p.to_row + lanes<Real>, sums[row][1]);
  }
}

template <class Real>
RW_LANE void multiply(const Product<Real>& p) {
  for (i64 panel = 0; panel < p.panels; ++panel) {
    for (i64 part = 0; part < panel_columns<Real>; part += 2 * lanes<Real>) {
      const Real* const right = p.right + panel * p.panel_stride + part;
      const Real* left = p.left;
      Real* to = p.to + panel * panel_columns<Real> + part;
      i64 rows = p.rows;
      const auto tiles = [&]<int height>() {
        for (; rows >= height; rows -= height, left += height * p.left_row, to += height * p.to_row) {
          product_tile<Real, height>(p, left, right, to);
        }
      };
      tiles.template operator()<tile_rows>();
      if constexpr (tile_rows > 4) tiles.template operator()<4>();
      tiles.template operator()<2>();
      tiles.template operator()<1>();
    }
  }
}

}  // namespace RW_INSTRUCTION_SET
}  // namespace ropewalk::reference
