// The checked machine: executes PTX on the CPU, every access looked at.
#pragma once
#include <memory>

#include "lib/launch/outcome.h"

namespace ropewalk::machine {

// An executor that runs launches on this processor. It keeps decoded kernels from launch to launch.
std::unique_ptr<Executor> make_machine();

}  // namespace ropewalk::machine
