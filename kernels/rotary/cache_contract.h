// The contract of the kernels that build the cos and sin cache: kernels/rotary/cache.cu and its faulty copies.
#pragma once
#include <vector>

#include "kernels/family.h"
#include "kernels/rotary/rotary_guards.h"

namespace ropewalk {

// `stem`: of its PTX, and the prefix of its entries. `missing`: the guards that it is without.
KernelFamily cache_family(const std::string& name, const std::string& description, const std::string& source,
                          const std::string& stem, const std::string& healthy_twin, const RotaryGuards& missing = {});
std::vector<KernelFamily> rotary_cache_families();

}  // namespace ropewalk
