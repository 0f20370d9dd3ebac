// Where a launch runs, from a launch file.
#pragma once
#include "lib/base/json.h"
#include "lib/launch/launch.h"

namespace ropewalk {

// The keys "device", "current_device" and "stream" of the launch at `root`, each of which may be absent. Throws
// InputError where one does not fit.
LaunchLocation read_launch_location(const JsonCursor& root);

}  // namespace ropewalk
