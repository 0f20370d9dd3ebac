// Causes that speak of the rotary width.
#pragma once
#include "lib/diagnose/hypothesis.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {

// The width is larger than head_dim, and what is touched reaches as far past the rows as that width would: where it
// equals heads x head_dim, the model width was passed (model-width-for-head-dim), else width-over-head-dim.
std::optional<Cause> width_over_head_dim(const Finding& finding, const Scene& scene);

// The width is odd, and what is touched is the half pair that is too many: one column behind rows of that width, or a
// column more in each row of a table that was allocated for the smaller half (odd-rotary-dim).
std::optional<Cause> odd_rotary_dim(const Finding& finding, const Scene& scene);

// model-width-for-head-dim; `source` says where the width comes from.
Cause cause_of_model_width(const std::string& source, i64 heads, i64 head_dim);

// The same causes, of a problem that is over head_dim or odd; `source` says where the width comes from.
Cause cause_of_width(const RotaryProblem& problem);
Cause cause_of_odd_width(i64 width, const std::string& source);

}  // namespace ropewalk::diagnose
