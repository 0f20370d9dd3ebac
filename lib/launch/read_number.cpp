#include "lib/launch/read_number.h"

#include <cmath>
#include <cstring>

namespace ropewalk {
namespace {

void read_integer(const JsonCursor& cursor, Dtype dtype, void* element) {
  const IntegerRange range = integer_range(dtype);
  u64 bits = 0;
  if (dtype == Dtype::Bool && cursor.value().is_boolean()) {
    bits = cursor.boolean();
  } else if (range.low < 0) {
    bits = u64(cursor.integer(range.low, i64(range.high)));
  } else {
    bits = cursor.natural(0, range.high);
  }
  std::memcpy(element, &bits, size_of(dtype));
}

void read_float(const JsonCursor& cursor, Dtype dtype, void* element) {
  const double value = cursor.number();
  store_from_double(element, dtype, value);
  if (std::isfinite(value) && !std::isfinite(load_as_double(element, dtype))) {
    cursor.fail(cursor.description() + " is beyond the range of " + std::string(name_of(dtype)) +
                " (write \"inf\" where infinity is meant)");
  }
}

}  // namespace

void read_element(const JsonCursor& cursor, Dtype dtype, void* element) {
  if (!is_floating(dtype)) return read_integer(cursor, dtype, element);
  if (dtype != Dtype::C64 || !cursor.is_array()) return read_float(cursor, dtype, element);
  const std::vector<JsonCursor> parts = cursor.elements(2, "[real, imaginary]");
  read_float(parts[0], Dtype::F32, element);
  read_float(parts[1], Dtype::F32, static_cast<std::byte*>(element) + 4);
}

std::shared_ptr<const Array> read_values(const JsonCursor& cursor, Dtype dtype, const Shape& shape) {
  if (!cursor.is_array()) cursor.fail("expected a flat list of numbers, found " + cursor.description());
  const u64 count = u64(element_count(shape));
  if (cursor.size() != count) {
    cursor.fail("holds " + std::to_string(cursor.size()) + " values, shape " + text_of(shape) + " needs " +
                std::to_string(count));
  }
  auto array = std::make_shared<Array>(Array::zeros(dtype, shape));
  std::byte* element = array->bytes.data();
  for (u64 i = 0; i < count; ++i, element += size_of(dtype)) read_element(cursor.element(i), dtype, element);
  return array;
}

}  // namespace ropewalk
