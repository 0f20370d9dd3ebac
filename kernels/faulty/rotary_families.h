// The families with planted faults, each with its healthy twin among the rotary kernels.
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> faulty_rotary_families();

}  // namespace ropewalk
