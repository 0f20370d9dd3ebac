// Tensors with angles in them, where tables have cos and sin.
#pragma once
#include "lib/rope/table.h"

namespace ropewalk::rope {

// Whether a matrix holds angles: each of its columns is the position of the rows, on one of three axes at most, times
// a frequency of its own, and the largest go far beyond what cos and sin may be.
bool holds_angles(const Plane& plane);

}  // namespace ropewalk::rope
