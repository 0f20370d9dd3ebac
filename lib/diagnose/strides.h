// Causes that speak of strides.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Exactly those elements are touched outside of a tensor, or in its gaps, or left unwritten in it, that follow when one
// or more of its strides are replaced by those of another tensor, or by those of a tensor without gaps.
std::optional<Cause> wrong_stride(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
