// Causes that speak of asynchronous copies to shared memory (cp.async).
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// A copy into shared memory that is read before the thread has waited for it, or that is in no group.
std::optional<Cause> missing_copy_wait(const Finding& finding, const Scene& scene);

// A copy into bytes that are still to be read.
std::optional<Cause> copy_too_early(const Finding& finding, const Scene& scene);

// Two copies into the same bytes are under way at once: that comes of what a read of one of them lacks.
std::optional<Cause> cause_of_second_copy(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
