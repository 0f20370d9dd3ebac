// Rotary problems that are worth a case of their own.
#pragma once
#include <vector>

#include "lib/families/rotary/rotary_parameters.h"
#include "lib/family/kernel.h"
#include "lib/generate/space.h"

namespace ropewalk::rotary {

// Problems whose strides, grids, heads and angles are beyond what 32 and 16 bits hold or a block is wide, with few
// elements that are touched; those among them that the kernel takes. Positions begin at 1, as a rotation by the angle 0
// shows little.
std::vector<generate::Extreme> rotary_extremes(const Kernel& kernel, RotaryTask task);

}  // namespace ropewalk::rotary
