// The known bugs of attention kernels, by row.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk::kernels {

std::vector<AtlasEntry> attention_atlas();
std::vector<AtlasEntry> ring_atlas();  // of kernels over the ranks of a ring

}  // namespace ropewalk::kernels
