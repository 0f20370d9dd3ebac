// Parts that the launches of kernels of every kind are put together from.
#pragma once
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk::kernels {

// Adds a tensor and gives its number.
u32 add_tensor(Launch& launch, LaunchTensor tensor);

ScalarArgument argument_i32(i64 value);
ScalarArgument argument_i64(i64 value);
ScalarArgument argument_f32(float value);
ScalarArgument argument_f64(double value);

// An i32, i64 or f32 tensor's values.
Init given_values(Dtype dtype, const std::vector<double>& values);
Init given_integers(Dtype dtype, const std::vector<i64>& values);

// Numbers of a tensor by the seed of a problem; `stream` tells the problem's tensors apart. Small tensors are made at
// once, so that the machine and the reference share the work; large ones are described and made where they are touched.
struct Drawn {
  Dtype dtype = Dtype::F32;
  u64 seed = 1, stream = 0;
};
// Mean 0 and this deviation.
Init drawn_normal(const Drawn& drawn, const Shape& shape, double deviation);
// By 64 random bits each. Only for small tensors.
Init drawn_by(const Drawn& drawn, const Shape& shape, float (*value)(u64 bits));
// Nearly normal, of mean 0 and deviation 1: what drawn_normal makes small tensors of.
float bell(u64 bits);

}  // namespace ropewalk::kernels
