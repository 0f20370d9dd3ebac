// The kernels with seeded bugs, each with its correct counterpart among the rotary kernels.
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk::kernels {

std::vector<Kernel> faulty_rotary_kernels();

}  // namespace ropewalk::kernels
