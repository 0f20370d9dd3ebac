// The known bugs of attention kernels, by row.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk {

std::vector<AtlasEntry> attention_atlas();

}  // namespace ropewalk
