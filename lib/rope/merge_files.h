// Files that are halves of one rank's dump: cos.npy and sin.npy.
#pragma once
#include <vector>

#include "lib/rope/table.h"

namespace ropewalk::rope {

// Puts files that hold one function alone together with the file that holds the other for the same module. Two files in
// all, of which each holds one, belong together whatever their names. The order of the others stays.
std::vector<FileTables> merged_files(std::vector<FileTables> files);

}  // namespace ropewalk::rope
