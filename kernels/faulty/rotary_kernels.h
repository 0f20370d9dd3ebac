// The kernels with planted faults, each with its healthy twin among the rotary kernels.
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk {

std::vector<Kernel> faulty_rotary_kernels();

}  // namespace ropewalk
