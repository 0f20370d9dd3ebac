// What the text of a foreign kernel says against a cause that only the figures of a launch speak for.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Whether the kernel compares something with a scalar argument that is `extent`: it has a mask, right or not.
bool compares_with(const Scene& scene, i64 extent);

// Whether it multiplies something by a scalar argument that is `pitch`.
bool multiplies_by(const Scene& scene, i64 pitch);

// Whether its mask was given `end` where it should be `extent`: it compares something with the one, and no argument is
// the other.
bool has_mask_up_to(const Scene& scene, i64 end, i64 extent);

// Whether a value that an atomic gave back goes into further computation: an index may be counted up, not a thread's
// own.
bool uses_results_of_atomics(const Scene& scene);

}  // namespace ropewalk::diagnose
