// The known bugs of decode kernels and of the merge of their parts, by row.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk::kernels {

std::vector<AtlasEntry> decode_atlas();

}  // namespace ropewalk::kernels
