// The known bugs of rotary kernels.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk {

std::vector<AtlasEntry> rotary_atlas();

}  // namespace ropewalk
