// Where an access lies that leaves a tensor.
#pragma once
#include "lib/finding/finding.h"

namespace ropewalk {

// How many bytes of an access are past the tensor's end, where the access begins inside; 0: it does not, or the
// tensor's size is not known.
u64 bytes_across_end(const Access& access);

}  // namespace ropewalk
