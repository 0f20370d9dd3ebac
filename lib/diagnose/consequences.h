// Findings that follow from another one of the same launch.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk {

// A global race has the cause of an out-of-bounds finding of its tensor when both come from the same instruction: what
// runs past the last row of a tensor runs into the next row everywhere else. null where there are several such causes.
std::optional<Cause> cause_of_race(const Finding& finding, const Scene& scene);

}  // namespace ropewalk
