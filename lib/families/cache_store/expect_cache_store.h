// The answer to a cache-store problem.
#pragma once
#include "lib/families/cache_store/cache_store_problem.h"
#include "lib/launch/launch.h"

namespace ropewalk::cache_store {

// Adds what key_cache and value_cache should hold after the launch.
void expect_answer_of(const CacheStoreProblem& problem, Launch& launch);

}  // namespace ropewalk::cache_store
