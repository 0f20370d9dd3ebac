// The "expect" of a launch file.
#pragma once
#include <string>

#include "lib/base/json.h"
#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

// What the tensor `name` should hold after the launch, whose tensors are known. Throws InputError with the JSON path.
Expectation read_expectation(const JsonCursor& cursor, const std::string& name, const Launch& launch,
                             const LaunchFiles& files);

}  // namespace ropewalk
