// The "init" of a launch file's tensor, and the arrays that a launch file names.
#pragma once
#include <memory>
#include <string>

#include "lib/base/json.h"
#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

// What the tensor, whose dtype and shape are known, holds at first. Throws InputError with the JSON path.
Init read_init(const JsonCursor& cursor, const LaunchTensor& tensor, const LaunchFiles& files);

// The array in the file that `file` names, got by way of `files` and converted to `dtype`. `name` chooses one where the
// file has several. Throws InputError with the JSON path where the file is of no use or its shape is not `shape`.
std::shared_ptr<const Array> read_named_array(const JsonCursor& file, const std::string& name, Dtype dtype,
                                              const Shape& shape, const LaunchFiles& files);

}  // namespace ropewalk
