// What is read beside a cache, explained by how its block table or its lengths are misread.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::attention {

// Of accesses of k, v or the block table outside of what sequences have: the one way to go through the cache that
// touches exactly these.
std::optional<Cause> misread_pages(const Finding& finding, const diagnose::Scene& scene);

// Of rows of attention, or of its parts, that were not written: exactly those that have no keys.
std::optional<Cause> parts_without_keys(const Finding& finding, const diagnose::Scene& scene);

}  // namespace ropewalk::attention
