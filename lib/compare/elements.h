// The elements of tensors as doubles, whatever their dtype and strides.
#pragma once
#include <vector>

#include "lib/launch/outcome.h"

namespace ropewalk::compare {

// A tensor in memory, taken apart into rows of its last dimension. Complex elements count as two of f32.
struct ElementView {
  const std::byte* bytes = nullptr;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Strides strides;

  ElementView() = default;
  ElementView(const std::byte* start, Dtype of_dtype, Shape of_shape, Strides of_strides);
  explicit ElementView(const Array& array) : ElementView(array.bytes.data(), array.dtype, array.shape, {}) {}
  ElementView(const LaunchTensor& tensor, const TensorAfter& after)
      : ElementView(after.bytes, tensor.dtype, tensor.shape, tensor.strides) {}

  i64 count() const { return element_count(shape); }
  // Elements of a row; rows are all dimensions but the last, flattened.
  i64 columns() const { return shape.empty() ? 1 : shape.back(); }
  i64 rows() const { return columns() ? count() / columns() : 0; }
  // Elements from the start to the first one of the row.
  i64 row_offset(i64 row) const;
};

// Reads `count` elements of a dtype that lie `stride` elements apart; `at` is the first.
void read_elements(const std::byte* at, Dtype dtype, i64 stride, i64 count, double* out);

// What a tensor holds at first, in row-major order and rounded to its dtype.
std::vector<double> initial_values(const LaunchTensor& tensor);

}  // namespace ropewalk::compare
