// Parts of shared memory that are meant for one thread each, and overlap.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Two threads store to one element, by one instruction or by two that follow each other: no barrier between them would
// help. Where this is so, other races for these bytes come of it.
std::optional<Cause> overlapping_stores(const Finding& finding, const Scene& scene);

// Whether a race is for bytes to which two threads store so.
bool is_in_overlap(const Finding& race, const Scene& scene);

}  // namespace ropewalk::diagnose
