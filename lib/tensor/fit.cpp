#include "lib/tensor/fit.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

bool are_bits_of(Dtype from, Dtype to) {
  if (to == Dtype::BF16 || to == Dtype::F16) return from == Dtype::U16;
  return (to == Dtype::F8E4M3 || to == Dtype::F8E5M2) && from == Dtype::U8;
}

bool is_integer(Dtype dtype) { return !is_floating(dtype); }

// Whether an integer dtype holds the element exactly.
bool fits(const Array& array, i64 n, const IntegerRange& range) {
  const std::byte* element = array.bytes.data() + n * size_of(array.dtype);
  if (array.dtype == Dtype::U64) {
    u64 value = 0;
    std::memcpy(&value, element, sizeof value);
    return value <= range.high;
  }
  if (array.dtype == Dtype::I64) {
    i64 value = 0;
    std::memcpy(&value, element, sizeof value);
    return value >= range.low && (value < 0 || u64(value) <= range.high);
  }
  const double value = array.at(n);
  // 2^64 and 2^63 are exact as double where the largest integers are not.
  return value == std::trunc(value) && value >= double(range.low) && value < double(range.high / 2 + 1) * 2 &&
         !(range.high == 1 && value > 1);
}

// Between integers bits are copied: going by way of double would lose those beyond 2^53.
void copy_integer(const Array& from, i64 n, Array& to) {
  const u32 size = size_of(from.dtype);
  u64 bits = 0;
  std::memcpy(&bits, from.bytes.data() + n * size, size);
  if (is_signed_integer(from.dtype) && size < 8) bits = u64(i64(bits << (64 - 8 * size)) >> (64 - 8 * size));
  std::memcpy(to.bytes.data() + n * size_of(to.dtype), &bits, size_of(to.dtype));
}

std::string text_of_element(const Array& array, i64 n) {
  return is_integer(array.dtype) ? fmt::format("{:.0f}", array.at(n)) : fmt::format("{}", array.at(n));
}

}  // namespace

Array converted(Array array, Dtype dtype, const std::string& path) {
  if (array.dtype == dtype) return array;
  if (are_bits_of(array.dtype, dtype)) {
    array.dtype = dtype;
    return array;
  }
  if (array.dtype == Dtype::C64) {
    throw InputError(InputLocation{path}, "holds complex numbers, the tensor is " + std::string(name_of(dtype)));
  }
  Array result = Array::zeros(dtype, array.shape);
  const IntegerRange range = is_integer(dtype) ? integer_range(dtype) : IntegerRange{};
  for (i64 n = 0; n < array.count(); ++n) {
    if (!is_integer(dtype)) {
      result.set(n, array.at(n));
      continue;
    }
    if (!fits(array, n, range)) {
      throw InputError(InputLocation{path}, "holds " + text_of_element(array, n) + " at " +
                                                text_of(index_of(array.shape, n)) + ", which " +
                                                std::string(name_of(dtype)) + " cannot hold");
    }
    if (is_integer(array.dtype)) {
      copy_integer(array, n, result);
    } else {
      result.set(n, array.at(n));
    }
  }
  return result;
}

Array fitted(Array array, Dtype dtype, const Shape& shape, const std::string& path) {
  if (array.shape != shape) {
    throw InputError(InputLocation{path},
                     "holds an array of shape " + text_of(array.shape) + ", the tensor has shape " + text_of(shape));
  }
  return converted(std::move(array), dtype, path);
}

}  // namespace ropewalk
