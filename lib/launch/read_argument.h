// The "args" of a launch file.
#pragma once
#include "lib/base/json.h"
#include "lib/launch/launch.h"

namespace ropewalk {

// One argument: a tensor (with an offset or a region), a scalar, a null pointer or a struct by value. The launch's
// tensors are known. Throws InputError with the JSON path.
Argument read_argument(const JsonCursor& cursor, const Launch& launch);

}  // namespace ropewalk
