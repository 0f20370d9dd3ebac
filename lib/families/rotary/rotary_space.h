// The space of rotary problems.
#pragma once
#include "lib/family/kernel.h"
#include "lib/generate/space.h"

namespace ropewalk::rotary {

generate::ProblemSpace rotary_space(const Kernel& kernel);

}  // namespace ropewalk::rotary
