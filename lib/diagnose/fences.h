// Causes that speak of fences and scopes.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// A thread hands data to another by a flag, a lock or a ticket, and the instructions that do so order nothing: a
// release or an acquire is missing, or their scope ends at the block.
std::optional<Cause> missing_fence(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
