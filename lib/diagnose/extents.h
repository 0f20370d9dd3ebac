// Causes that speak of extents: one tensor is gone through with the number of heads, or of rows, that another has.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Exactly those elements outside of a tensor are touched that the heads of another tensor have beyond its own.
std::optional<Cause> wrong_head_count(const Finding& finding, const Scene& scene);

// The same of the outermost dimension: the batches, or the tokens, of another tensor.
std::optional<Cause> unequal_batches(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
