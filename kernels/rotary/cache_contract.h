// The contract of the kernels that build the cos and sin cache: kernels/rotary/cache.cu and its faulty copies.
#pragma once
#include <vector>

#include "kernels/family.h"

namespace ropewalk {

std::vector<KernelFamily> rotary_cache_families();

}  // namespace ropewalk
