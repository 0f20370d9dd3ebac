// The "tensors" of a launch file.
#pragma once
#include <string>

#include "lib/base/json.h"
#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

// One tensor: dtype, shape, strides, init, output, finite, alignment, fields. Throws InputError with the JSON path.
LaunchTensor read_tensor(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files);

}  // namespace ropewalk
