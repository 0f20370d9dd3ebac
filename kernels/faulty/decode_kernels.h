// The families with seeded bugs whose correct counterparts are the decode kernel and the merge.
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk::kernels {

std::vector<Kernel> faulty_decode_kernels();

}  // namespace ropewalk::kernels
