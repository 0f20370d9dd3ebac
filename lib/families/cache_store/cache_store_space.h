// What campaigns draw problems of writing to a KV cache from.
#pragma once
#include "lib/family/kernel.h"
#include "lib/generate/space.h"

namespace ropewalk::cache_store {

generate::ProblemSpace cache_store_space(const Kernel& kernel);

}  // namespace ropewalk::cache_store
