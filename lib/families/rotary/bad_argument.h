// Causes of arguments that were taken though they must be rejected.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::rotary {

// The one thing that is wrong with the problem; where its positions have no row in the cache, what the kernel made of
// them says more: they wrap, or such rows are left as they are.
std::optional<Cause> bad_argument(const Finding& finding, const diagnose::Scene& scene);

}  // namespace ropewalk::rotary
