#include "lib/compare/elements.h"

#include <cstring>

#include "lib/base/half.h"

namespace ropewalk::compare {
namespace {

template <class T, class Convert>
void read_as(const std::byte* at, i64 stride, i64 count, double* out, Convert convert) {
  const i64 step = stride * i64(sizeof(T));
  for (i64 n = 0; n < count; ++n, at += step) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    out[n] = convert(value);
  }
}

}  // namespace

ElementView::ElementView(const std::byte* start, Dtype of_dtype, Shape of_shape, Strides of_strides)
    : bytes(start), dtype(of_dtype), shape(std::move(of_shape)), strides(std::move(of_strides)) {
  if (strides.empty()) strides = contiguous_strides(shape);
  if (dtype != Dtype::C64) return;
  for (i64& stride : strides) stride *= 2;
  strides.push_back(1);
  shape.push_back(2);
  dtype = Dtype::F32;
}

i64 ElementView::row_offset(i64 row) const {
  i64 offset = 0;
  for (i64 dimension = i64(shape.size()) - 2; dimension >= 0; --dimension) {
    const i64 extent = shape[u64(dimension)];
    offset += row % extent * strides[u64(dimension)];
    row /= extent;
  }
  return offset;
}

void read_elements(const std::byte* at, Dtype dtype, i64 stride, i64 count, double* out) {
  switch (dtype) {
    case Dtype::F32:
    case Dtype::TF32:
      return read_as<float>(at, stride, count, out, [](float value) { return double(value); });
    case Dtype::F64:
      return read_as<double>(at, stride, count, out, [](double value) { return value; });
    case Dtype::BF16:
      return read_as<u16>(at, stride, count, out, [](u16 bits) { return double(bf16_to_f32(bits)); });
    case Dtype::F16:
      return read_as<u16>(at, stride, count, out, [](u16 bits) { return double(f16_to_f32(bits)); });
    default:
      for (i64 n = 0; n < count; ++n) out[n] = load_as_double(at + n * stride * size_of(dtype), dtype);
  }
}

std::vector<double> initial_values(const LaunchTensor& tensor) {
  const i64 count = element_count(tensor.shape);
  std::vector<double> values(u64(count), 0.0);
  if (const auto* given = std::get_if<Given>(&tensor.init); given && given->array->dtype == tensor.dtype) {
    read_elements(given->array->bytes.data(), tensor.dtype, 1, count, values.data());
    return values;
  }
  constexpr i64 some = 4096;
  std::vector<std::byte> bytes(u64(std::min(count, some)) * size_of(tensor.dtype));
  for (i64 first = 0; first < count; first += some) {
    const i64 here = std::min(some, count - first);
    write_values(tensor.init, first, here, tensor.dtype, bytes.data());
    read_elements(bytes.data(), tensor.dtype, 1, here, values.data() + first);
  }
  return values;
}

}  // namespace ropewalk::compare
