// What a launch computes with, where what its outputs may be off depends on it.
#pragma once
#include "lib/launch/launch.h"

namespace ropewalk::compare {

// Whether the module's code multiplies matrices (mma).
bool uses_tensor_cores(const Launch& launch);

}  // namespace ropewalk::compare
