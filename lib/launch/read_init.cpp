#include "lib/launch/read_init.h"

#include <algorithm>
#include <cmath>

#include "lib/base/nearest.h"
#include "lib/launch/read_number.h"
#include "lib/tensor/fit.h"

namespace ropewalk {
namespace {

Init read_fill(const JsonCursor& cursor, const LaunchTensor& tensor) {
  std::byte element[8];
  read_element(cursor, tensor.dtype, element);
  if (cursor.value().is_boolean()) return Fill{double(cursor.boolean())};
  if (cursor.is_array()) cursor.fail("a fill is one number, found a list");
  const double value = cursor.number();
  if (!is_floating(tensor.dtype) && std::fabs(value) > 0x1p53) {
    cursor.fail("whole numbers beyond 2^53 are given as \"values\", found " + cursor.description());
  }
  return Fill{value};
}

Init read_normal(const JsonCursor& cursor) {
  cursor.expect_keys({"seed", "mean", "std"});
  Normal normal;
  cursor.read_if("seed", normal.seed);
  cursor.read_if("mean", normal.mean);
  cursor.read_if("std", normal.std);
  if (normal.std < 0)
    cursor.at("std").fail("a standard deviation is not negative, found " + cursor.at("std").description());
  return normal;
}

Init read_uniform(const JsonCursor& cursor) {
  cursor.expect_keys({"seed", "low", "high"});
  Uniform uniform;
  cursor.read_if("seed", uniform.seed);
  cursor.read_if("low", uniform.low);
  cursor.read_if("high", uniform.high);
  if (uniform.high < uniform.low) cursor.fail("\"high\" is below \"low\"");
  return uniform;
}

Init read_arange(const JsonCursor& cursor, const LaunchTensor& tensor) {
  cursor.expect_keys({"start", "step"});
  Arange arange;
  cursor.read_if("start", arange.start);
  cursor.read_if("step", arange.step);
  if (is_floating(tensor.dtype)) return arange;
  const IntegerRange range = integer_range(tensor.dtype);
  const i64 last = std::max<i64>(element_count(tensor.shape) - 1, 0);
  for (const double end : {arange.start, arange.start + arange.step * double(last)}) {
    if (end >= double(range.low) && end <= double(range.high)) continue;
    cursor.fail("reaches " + std::to_string(end) + ", which " + std::string(name_of(tensor.dtype)) + " cannot hold");
  }
  return arange;
}

}  // namespace

std::shared_ptr<const Array> read_named_array(const JsonCursor& file, const std::string& name, Dtype dtype,
                                              const Shape& shape, const LaunchFiles& files) {
  try {
    const std::shared_ptr<const Array> array = files.array({file.text(), name, dtype, shape});
    if (array->dtype == dtype && array->shape == shape) return array;
    return std::make_shared<const Array>(fitted(*array, dtype, shape, file.text()));
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

Init read_init(const JsonCursor& cursor, const LaunchTensor& tensor, const LaunchFiles& files) {
  if (cursor.is_text()) {
    const std::string word = cursor.text();
    if (word == "uninitialized") return Uninitialized{};
    if (word == "zeros") return Fill{0};
    cursor.fail("unknown init \"" + word + "\", " + did_you_mean(word, {"uninitialized", "zeros"}) +
                " (the other forms are objects: fill, normal, uniform, arange, values, file)");
  }
  cursor.expect_keys({"fill", "normal", "uniform", "arange", "values", "file", "name"});
  if (cursor.size() != (cursor.has("name") ? 2u : 1u) || (cursor.has("name") && !cursor.has("file"))) {
    cursor.fail("expected exactly one of fill, normal, uniform, arange, values, file (which may have a name)");
  }
  if (cursor.has("fill")) return read_fill(cursor.at("fill"), tensor);
  if (cursor.has("normal")) return read_normal(cursor.at("normal"));
  if (cursor.has("uniform")) return read_uniform(cursor.at("uniform"));
  if (cursor.has("arange")) return read_arange(cursor.at("arange"), tensor);
  if (cursor.has("values")) return Given{read_values(cursor.at("values"), tensor.dtype, tensor.shape), ""};
  const JsonCursor file = cursor.at("file");
  std::string name;
  cursor.read_if("name", name);
  return Given{read_named_array(file, name, tensor.dtype, tensor.shape, files), file.text()};
}

}  // namespace ropewalk
