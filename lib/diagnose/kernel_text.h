// What the text of a foreign kernel says against a cause that only the figures of a launch speak for.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Whether the kernel compares something with a scalar argument that is `extent`: it has a mask, right or not.
bool compares_with(const Scene& scene, i64 extent);

// Whether a value that an atomic gave back goes into further computation: an index may be counted up, not a thread's
// own.
bool uses_results_of_atomics(const Scene& scene);

}  // namespace ropewalk::diagnose
