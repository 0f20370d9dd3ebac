// The parameters of cache-store problems and their values, for kernels that store tokens and for those that copy pages.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/families/cache_store/cache_store_problem.h"

namespace ropewalk {

struct CacheStoreParameter {
  std::string name;
  std::vector<std::string> values;  // [0] is the plainest
  // Sets the value with that number, or draws one. Parameters are set in their order.
  std::function<void(CacheStoreProblem&, u32 value, Random&)> set;
};

// `dtypes`: of key and value, those that the kernel has entries for.
std::vector<CacheStoreParameter> append_parameters(const std::vector<Dtype>& dtypes);
std::vector<CacheStoreParameter> copy_parameters(const std::vector<Dtype>& dtypes);

}  // namespace ropewalk
