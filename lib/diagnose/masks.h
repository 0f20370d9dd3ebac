// Causes that speak of masks: what the last tile has too many is not held back.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Rows past the last are touched, up to the end of the last tile of rows.
std::optional<Cause> missing_row_mask(const Finding& finding, const Scene& scene);

// Columns past the last are touched, up to the end of the last tile of lanes, or to the next power of two.
std::optional<Cause> missing_column_mask(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
