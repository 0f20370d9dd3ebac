// Hypotheses about kernels that write to a KV cache.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::cache_store {

// Elements outside of a tensor, or of slots that no token has, are touched, or elements are not written, and they are
// exactly those of a wrong hypothesis, or of a list that asks for them.
std::optional<Cause> misread_store(const Finding& finding, const diagnose::Scene& scene);

// Threads race for a cache where a wrong hypothesis writes more than once, or where two tokens have one slot, or a page
// is copied that another pair writes.
std::optional<Cause> contested_slots(const Finding& finding, const diagnose::Scene& scene);

}  // namespace ropewalk::cache_store
