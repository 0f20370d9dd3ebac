// Which bytes of a tensor belong to an element: those of a field, or all that are in no gap.
#pragma once
#include "lib/launch/launch.h"

namespace ropewalk {

// Sets a bit for each byte of the elements of a tensor, or of one field where `field` is not null. `bits` has a bit for
// each of tensor.bytes().
void mark_allowed(const LaunchTensor& tensor, const Field* field, u64* bits);
// The same for all that an argument may touch: one for the field of that number, or, with -1, one for the whole tensor,
// which may touch its fields where it has any, else all elements.
void mark_allowed(const LaunchTensor& tensor, i32 field, u64* bits);
// Whether some byte between the first and the last element may not be touched: a gap, or what is in no field.
bool has_forbidden_bytes(const LaunchTensor& tensor);
// The first element of a field, counted from the tensor's start in its storage.
i64 start_of(const LaunchTensor& tensor, const Field& field);

}  // namespace ropewalk
