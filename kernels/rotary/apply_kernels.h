// The kernels that rotate one tensor: kernels/rotary/apply.cu, apply_vector.cu and their faulty copies
// (kernels/faulty).
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk::kernels {

std::vector<Kernel> rotary_apply_kernels();

}  // namespace ropewalk::kernels
