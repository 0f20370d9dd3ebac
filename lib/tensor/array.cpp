#include "lib/tensor/array.h"

#include "lib/base/error.h"

namespace ropewalk {

Array Array::zeros(Dtype dtype, Shape shape) {
  Array array{dtype, std::move(shape), {}};
  array.bytes.resize(size_t(array.count()) * size_of(dtype));
  return array;
}

Array Array::of(Dtype dtype, Shape shape, const std::vector<double>& values) {
  Array array = zeros(dtype, std::move(shape));
  if (size_t(array.count()) != values.size()) {
    throw InternalError("Array::of: " + std::to_string(values.size()) + " values for shape " + text_of(array.shape));
  }
  for (size_t n = 0; n < values.size(); ++n) array.set(i64(n), values[n]);
  return array;
}

}  // namespace ropewalk
