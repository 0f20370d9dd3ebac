// An array in our own memory: dtype, shape and gap-free row-major bytes.
#pragma once
#include <cstddef>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/base/shape.h"

namespace ropewalk {

struct Array {
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::vector<std::byte> bytes;  // element_count(shape) * size_of(dtype)

  static Array zeros(Dtype dtype, Shape shape);
  // Values in row-major order, rounded to `dtype`.
  static Array of(Dtype dtype, Shape shape, const std::vector<double>& values);
  i64 count() const { return element_count(shape); }
  double at(i64 n) const { return load_as_double(bytes.data() + n * size_of(dtype), dtype); }
  void set(i64 n, double value) { store_from_double(bytes.data() + n * size_of(dtype), dtype, value); }
};

}  // namespace ropewalk
