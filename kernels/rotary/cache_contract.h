// The contract of the kernels that build the cos and sin cache: kernels/rotary/cache.cu and of
// kernels/faulty/rotary_caches.cu.
#pragma once
#include <vector>

#include "kernels/family.h"
#include "kernels/kept_module.h"
#include "kernels/rotary/rotary_guards.h"

namespace ropewalk {

// `missing`: the guards that it is without.
KernelFamily cache_family(const std::string& name, const std::string& description, const std::string& source,
                          const KeptEntries& entries, const std::string& healthy_twin,
                          const RotaryGuards& missing = {});
std::vector<KernelFamily> rotary_cache_families();

}  // namespace ropewalk
