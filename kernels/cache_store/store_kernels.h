// The kernels that write to a KV cache: kernels/cache_store/append.cu, copy.cu and their faulty copies
// (kernels/faulty).
#pragma once
#include <string>
#include <vector>

#include "kernels/cache_store/cache_store_preconditions.h"
#include "kernels/checked_in_ptx.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// A kernel that stores tokens, or with takes.copies one that copies pages. Counterpart: as in Kernel.
Kernel cache_store_kernel(const std::string& name, const std::string& description, const std::string& source,
                          const PtxEntries& entries, const CacheStoreTakes& takes, const std::string& counterpart);

std::vector<Kernel> cache_store_kernels();

}  // namespace ropewalk::kernels
