// Causes that speak of how cos and sin are read: with the elements of another dtype, from another offset, or too wide.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Without a problem: rows of a table are read as far apart as they would be for the width of the whole model, which is
// an argument (model-width-for-head-dim).
std::optional<Cause> model_width_of_rows(const Finding& finding, const Scene& scene);

// Each access takes the bytes of two elements or more, and those that are touched outside are where elements of that
// width would lie.
std::optional<Cause> wrong_dtype_width(const Finding& finding, const Scene& scene);

// The second half of a table that holds cos and sin is looked for behind another number of rows: one of the launch's
// integers.
std::optional<Cause> wrong_sin_offset(const Finding& finding, const Scene& scene);

// Vectors that fit the rows are read past the end of the last row that is asked for, by exactly one vector.
std::optional<Cause> vector_too_wide(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
