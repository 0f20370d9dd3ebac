// The known bugs of kernels that write to a KV cache, by row.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk::kernels {

std::vector<AtlasEntry> cache_store_atlas();

}  // namespace ropewalk::kernels
