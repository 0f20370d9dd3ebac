// The space of attention problems.
#pragma once
#include "lib/family/kernel.h"
#include "lib/generate/space.h"

namespace ropewalk::attention {

generate::ProblemSpace attention_space(const Kernel& kernel);

}  // namespace ropewalk::attention
