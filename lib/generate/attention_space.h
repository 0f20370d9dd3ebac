// The space of attention problems.
#pragma once
#include "kernels/family.h"
#include "lib/generate/space.h"

namespace ropewalk {

ProblemSpace attention_space(const KernelFamily& family);

}  // namespace ropewalk
