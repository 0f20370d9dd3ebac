// What kernels that write to a KV cache ask of a problem.
#pragma once
#include <string>
#include <vector>

#include "lib/families/cache_store/cache_store_problem.h"

namespace ropewalk::kernels {

// What a kernel takes.
struct CacheStoreTakes {
  bool copies = false;       // it copies pages; else it stores tokens
  bool few = false;          // key and value in f32 alone
  bool checks_lists = true;  // slot_mapping and copies are looked at; else taken as given
};

// Why a kernel must not be given the problem, each in a sentence of its own; empty: it may.
std::vector<std::string> cache_store_reasons(const cache_store::CacheStoreProblem& problem,
                                             const CacheStoreTakes& takes);

}  // namespace ropewalk::kernels
