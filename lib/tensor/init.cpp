#include "lib/tensor/init.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/base/error.h"
#include "lib/base/overloaded.h"
#include "lib/base/random.h"

namespace ropewalk {
namespace {

double uniform_value(const Uniform& uniform, i64 n) {
  const double value = uniform.low + random_unit(uniform.seed, u64(n)) * (uniform.high - uniform.low);
  // The sum may round up to the excluded end.
  return value < uniform.high ? value : uniform.low;
}

// Writes `count` copies of the element at `out` behind it.
void repeat_element(std::byte* out, size_t size, size_t count) {
  for (size_t done = 1; done < count;) {
    const size_t more = std::min(done, count - done);
    std::memcpy(out + done * size, out, more * size);
    done += more;
  }
}

// The values [first, first + count) of an init that is neither uninitialized nor one value.
void fill_doubles(const Init& init, i64 first, i64 count, double* out) {
  if (const Normal* normal = std::get_if<Normal>(&init)) {
    random_normals(normal->seed, u64(first), u64(count), out);
    for (i64 i = 0; i < count; ++i) out[i] = normal->mean + normal->std * out[i];
  } else if (const Uniform* uniform = std::get_if<Uniform>(&init)) {
    for (i64 i = 0; i < count; ++i) out[i] = uniform_value(*uniform, first + i);
  } else if (const Arange* arange = std::get_if<Arange>(&init)) {
    const double start = double(first);
    for (i32 i = 0; i < i32(count); ++i) out[i] = arange->start + arange->step * (start + i);
  } else {
    for (i64 i = 0; i < count; ++i) out[i] = value_of(init, first + i);
  }
}

}  // namespace

double value_of(const Init& init, i64 n) {
  return std::visit(
      Overloaded{[](const Uninitialized&) -> double {
                   throw InternalError("value_of: an uninitialized tensor has no values");
                 },
                 [](const Fill& fill) { return fill.value; },
                 [n](const Normal& normal) { return normal.mean + normal.std * random_normal(normal.seed, u64(n)); },
                 [n](const Uniform& uniform) { return uniform_value(uniform, n); },
                 [n](const Arange& arange) { return arange.start + arange.step * double(n); },
                 [n](const Given& given) { return given.array->at(n); }},
      init);
}

void write_values(const Init& init, i64 first, i64 count, Dtype dtype, void* out) {
  if (count <= 0) return;
  const size_t size = size_of(dtype);
  std::byte* element = static_cast<std::byte*>(out);
  if (const Given* given = std::get_if<Given>(&init); given && given->array->dtype == dtype) {
    std::memcpy(out, given->array->bytes.data() + size_t(first) * size, size_t(count) * size);
    return;
  }
  if (std::holds_alternative<Fill>(init)) {
    store_from_double(out, dtype, value_of(init, first));
    repeat_element(element, size, size_t(count));
    return;
  }
  // In blocks: the values as doubles, then their rounding, each a loop without calls.
  std::array<double, 512> values;
  for (i64 done = 0; done < count;) {
    const i64 here = std::min<i64>(count - done, i64(values.size()));
    fill_doubles(init, first + done, here, values.data());
    store_from_doubles(element + size_t(done) * size, dtype, values.data(), size_t(here));
    done += here;
  }
}

}  // namespace ropewalk
