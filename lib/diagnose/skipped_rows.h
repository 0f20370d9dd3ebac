// Causes that speak of rows that nobody wrote.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Whole rows of an output are never written, every other row is complete, and nothing was written elsewhere instead:
// tokens whose positions have no row in cos and sin, rows past the end of the grid, or others.
std::optional<Cause> rows_skipped(const Finding& finding, const Scene& scene);

// The same rows of every tile are never written, in two tiles or more: a mask that holds the row's number in its tile
// against something that is meant for the whole tensor.
std::optional<Cause> block_local_mask(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
