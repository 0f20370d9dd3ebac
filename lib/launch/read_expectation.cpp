#include "lib/launch/read_expectation.h"

#include "lib/launch/read_init.h"
#include "lib/launch/read_number.h"
#include "lib/launch/read_tensor.h"

namespace ropewalk {
namespace {

double read_tolerance(const JsonCursor& cursor, const char* key) {
  double value = 0;
  cursor.read_if(key, value);
  if (value < 0) cursor.at(key).fail("a tolerance is not negative, found " + cursor.at(key).description());
  return value;
}

}  // namespace

Expectation read_expectation(const JsonCursor& cursor, const std::string& name, const Launch& launch,
                             const LaunchFiles& files) {
  cursor.expect_keys({"file", "name", "same_as", "values", "atol", "rtol", "bound"});
  Expectation expectation;
  expectation.tensor = tensor_named(cursor, name, launch);
  expectation.atol = read_tolerance(cursor, "atol");
  expectation.rtol = read_tolerance(cursor, "rtol");
  const LaunchTensor& tensor = launch.tensors[expectation.tensor];
  if (cursor.has("file") + cursor.has("same_as") + cursor.has("values") != 1) {
    cursor.fail("expected exactly one of file, same_as and values");
  }
  if (cursor.has("name") && !cursor.has("file")) cursor.at("name").fail("only a file has a name");
  if (cursor.has("bound")) {
    if (cursor.has("atol") || cursor.has("rtol")) cursor.at("bound").fail("stands in place of atol and rtol");
    expectation.bound = read_named_array(cursor.at("bound"), "", Dtype::F64, tensor.shape, files);
  }
  // Beside a bound by element, expected values keep the digits that the tensor's own dtype would round away.
  const Dtype dtype = expectation.bound ? Dtype::F64 : tensor.dtype;
  if (cursor.has("same_as")) {
    const JsonCursor same_as = cursor.at("same_as");
    expectation.same_as = tensor_named(same_as, same_as.text(), launch);
    const Shape& shape = launch.tensors[*expectation.same_as].shape;
    if (shape != tensor.shape) {
      same_as.fail("the tensor \"" + same_as.text() + "\" has shape " + text_of(shape) + ", \"" + name + "\" has " +
                   text_of(tensor.shape));
    }
  } else if (cursor.has("values")) {
    expectation.values = read_values(cursor.at("values"), dtype, tensor.shape);
  } else {
    std::string array_name;
    cursor.read_if("name", array_name);
    expectation.values = read_named_array(cursor.at("file"), array_name, dtype, tensor.shape, files);
  }
  return expectation;
}

}  // namespace ropewalk
