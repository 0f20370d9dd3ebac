// Tables of one tensor that are those of several axes: [3, rows, columns] of a text with images in it.
#pragma once
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Explains a table whose rows stand at the positions that the file gives for another axis.
bool explain_exchanged_axes(JudgedTable& one, const std::vector<CacheTable>& tables);

}  // namespace ropewalk::rope
