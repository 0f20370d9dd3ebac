// Elements that threads change: by a load and a store, where others do so too, or before they were set.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Two threads load an element and store what they made of it (`*p += x`), or one does so while the other changes it by
// an atomic operation: one of the changes may be lost, and no barrier between two accesses helps.
std::optional<Cause> missing_atomic(const Finding& finding, const Scene& scene);

// A thread adds to an element (`sum += x`, atomicAdd) that nobody has set, and no other thread was about to.
std::optional<Cause> unset_accumulator(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
