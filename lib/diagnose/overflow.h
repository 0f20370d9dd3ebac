// Causes that speak of integers that are too small.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Index arithmetic that wrapped at 32 bits: the machine saw it happen, or what was touched lies exactly 2^32 elements
// (or bytes) before an element of the tensor.
std::optional<Cause> int32_overflow(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
