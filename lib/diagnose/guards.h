// Comparisons that an access is under.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Whether a finding's access is made only where a number that a thread makes of its own, as its address, was compared
// with one that an argument bounds: then a mask is there. axis: of the block, 0 is x: the number is made of the
// thread's position on it; -1: on any.
bool is_under_mask(const Finding& finding, const Scene& scene, i32 axis);

}  // namespace ropewalk::diagnose
