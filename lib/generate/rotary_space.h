// The space of rotary problems.
#pragma once
#include "kernels/family.h"
#include "lib/generate/space.h"

namespace ropewalk {

ProblemSpace rotary_space(const KernelFamily& family);

}  // namespace ropewalk
