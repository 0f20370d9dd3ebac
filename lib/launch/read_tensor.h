// The "tensors" of a launch file.
#pragma once
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

// One tensor, without its pointers, which may name tensors after it. Throws InputError with the JSON path.
LaunchTensor read_tensor(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files);

// The number of the tensor that `name`, which stands at `cursor`, names. Throws InputError that names the nearest.
u32 tensor_named(const JsonCursor& cursor, const std::string& name, const Launch& launch);

// The "pointers" of something with so many bytes; none where there is no such key. All tensors of the launch are read.
std::vector<LaunchPointer> read_pointers(const JsonCursor& cursor, u64 bytes, const Launch& launch);

// What a module-scope variable holds: bytes, init (of bytes), pointers.
LaunchVariable read_variable(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files,
                             const Launch& launch);

}  // namespace ropewalk
