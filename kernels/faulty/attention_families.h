// The families with planted faults, each with its healthy twin among the attention kernels.
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> faulty_attention_families();

}  // namespace ropewalk
