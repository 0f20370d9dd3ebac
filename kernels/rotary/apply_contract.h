// The contract of the kernels that rotate one tensor: kernels/rotary/apply.cu, apply_vector.cu and their faulty copies
// (kernels/faulty).
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> rotary_apply_families();

}  // namespace ropewalk
