// Kernels that write to a KV cache, with seeded bugs.
#pragma once
#include <vector>

#include "lib/family/kernel.h"

namespace ropewalk::kernels {

std::vector<Kernel> faulty_cache_store_kernels();

}  // namespace ropewalk::kernels
