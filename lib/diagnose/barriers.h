// Causes that speak of barriers.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// One thread writes and another reads a word, or one clears a word of shared memory and another gives it a value, by
// two instructions between which the kernel has no barrier.
std::optional<Cause> missing_barrier(const Finding& finding, const Scene& scene);

// Whether barriers that were tried ended both.
bool lack_same_barriers(const Finding& a, const Finding& b);

}  // namespace ropewalk::diagnose
