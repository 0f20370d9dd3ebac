// Smaller problems of writing to a KV cache.
#pragma once
#include <vector>

#include "lib/families/cache_store/cache_store_problem.h"

namespace ropewalk::cache_store {

// As Family::smaller has them.
std::vector<CacheStoreProblem> smaller_problems_of(const CacheStoreProblem& problem);

}  // namespace ropewalk::cache_store
