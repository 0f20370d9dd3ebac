// Which bytes of a tensor belong to an element: those of a region, or all that are in no gap.
#pragma once
#include "lib/launch/launch.h"

namespace ropewalk {

// Sets a bit for each byte of the elements of a tensor, or of one region where `region` is not null. `bits` has a bit
// for each of tensor.bytes().
void mark_allowed(const LaunchTensor& tensor, const Region* region, u64* bits);
// The same for all that an argument may touch: one for the region of that number, or, with -1, one for the whole
// tensor, which may touch its regions where it has any, else all elements.
void mark_allowed(const LaunchTensor& tensor, i32 region, u64* bits);
// Whether some byte between the first and the last element may not be touched: a gap, or what is in no region.
bool has_forbidden_bytes(const LaunchTensor& tensor);
// The first element of a region, counted from the tensor's start in its storage.
i64 start_of(const LaunchTensor& tensor, const Region& region);

}  // namespace ropewalk
