// The parameters of cache-store problems and their values, for kernels that store tokens and for those that copy pages.
#pragma once
#include <vector>

#include "lib/base/random.h"
#include "lib/families/cache_store/cache_store_problem.h"
#include "lib/generate/parts_of.h"

namespace ropewalk::cache_store {

using CacheStoreParameter = generate::ParameterOf<CacheStoreProblem>;

// `dtypes`: of key and value, those that the kernel has entries for.
std::vector<CacheStoreParameter> append_parameters(const std::vector<Dtype>& dtypes);
std::vector<CacheStoreParameter> copy_parameters(const std::vector<Dtype>& dtypes);

}  // namespace ropewalk::cache_store
