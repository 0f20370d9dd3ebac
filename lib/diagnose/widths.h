// Causes that speak of the rotary width.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk {

// rotary_dim is larger than head_dim, and what is touched lies in other heads or past the end: where the width equals
// heads x head_dim, the model width was passed (model-width-for-head-dim), else width-over-head-dim.
std::optional<Cause> width_over_head_dim(const Finding& finding, const Scene& scene);

}  // namespace ropewalk
