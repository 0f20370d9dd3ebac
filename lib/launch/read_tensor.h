// The "tensors" of a launch file.
#pragma once
#include <string>

#include "lib/base/json.h"
#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

// One tensor: dtype, shape, strides, init, output, finite, alignment, fields. Throws InputError with the JSON path.
LaunchTensor read_tensor(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files);

// The number of the tensor that `name`, which stands at `cursor`, names. Throws InputError that names the nearest.
u32 tensor_named(const JsonCursor& cursor, const std::string& name, const Launch& launch);

}  // namespace ropewalk
