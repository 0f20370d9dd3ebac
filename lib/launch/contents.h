// What a tensor holds when a launch begins.
#pragma once
#include <cstddef>

#include "lib/launch/launch.h"

namespace ropewalk {

// Whether elements follow each other without gaps, the last dimension fastest.
bool is_gap_free(const LaunchTensor& tensor);
// Fills the elements whose bytes begin in [first, last) of the storage at `data`. Strided tensors are filled as a
// whole. Nothing is done for what is uninitialized.
void fill_tensor(const LaunchTensor& tensor, std::byte* data, u64 first, u64 last);
// The whole tensor, on all cores that nobody uses where it is large.
void fill_whole_tensor(const LaunchTensor& tensor, std::byte* data);

}  // namespace ropewalk
