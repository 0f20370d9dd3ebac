// The families with planted faults whose healthy twins are the decode kernel and the merge.
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> faulty_decode_families();

}  // namespace ropewalk
