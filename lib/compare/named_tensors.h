// The tensors of a launch by their names, for those who expect something of them.
#pragma once
#include <fmt/format.h>

#include <memory>

#include "lib/base/error.h"
#include "lib/launch/launch.h"
#include "reference/rotary.h"

namespace ropewalk::compare {

// Throws InternalError where the launch has no such tensor.
inline const LaunchTensor& tensor_of(const Launch& launch, const char* name) {
  const i64 number = launch.tensor_named(name);
  if (number < 0) throw InternalError(fmt::format("the launch of {} has no tensor {}", launch.kernel_name, name));
  return launch.tensors[u64(number)];
}

// Adds an expectation for the tensor of that name; `compute` fills in values and bounds.
template <class Compute>
void expect_of(Launch& launch, const char* name, Compute compute) {
  const auto f64_array = [](const Shape& shape) { return std::make_shared<Array>(Array::zeros(Dtype::F64, shape)); };
  const auto data_of = [](Array& array) { return reinterpret_cast<double*>(array.bytes.data()); };
  const LaunchTensor& tensor = tensor_of(launch, name);
  const auto values = f64_array(tensor.shape), bounds = f64_array(tensor.shape);
  compute(reference::ExpectedValues{data_of(*values), data_of(*bounds)});
  launch.expectations.push_back({u32(launch.tensor_named(name)), values, bounds});
}

}  // namespace ropewalk::compare
