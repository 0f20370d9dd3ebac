// The kernels that build the cos and sin cache: kernels/rotary/cache.cu and of
// kernels/faulty/rotary_caches.cu.
#pragma once
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// `missing`: the preconditions that it lacks.
Kernel cache_kernel(const std::string& name, const std::string& description, const std::string& source,
                    const PtxEntries& entries, const std::string& counterpart, const RotaryPreconditions& missing = {});
std::vector<Kernel> rotary_cache_kernels();

}  // namespace ropewalk::kernels
