// The known bugs of rotary kernels, by row.
#pragma once
#include <vector>

#include "kernels/atlas.h"

namespace ropewalk::kernels {

std::vector<AtlasEntry> rotary_atlas_of_widths();     // rows 1 to 13
std::vector<AtlasEntry> rotary_atlas_of_positions();  // rows from 14 on

}  // namespace ropewalk::kernels
