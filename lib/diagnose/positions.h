// Causes that speak of positions, which are rows of cos and sin.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Rows past the end of cos or sin are read, and they are those that offset + tokens, or a position, ask for.
std::optional<Cause> cache_too_short(const Finding& finding, const Scene& scene);

// Rows before the start of cos or sin are read, and they are those that a negative offset or position asks for.
std::optional<Cause> negative_position(const Finding& finding, const Scene& scene);

// Rows past the end of cos or sin are read, and they are those of positions that go on from one packed sequence to the
// next.
std::optional<Cause> position_not_restarted(const Finding& finding, const Scene& scene);

// Rows past the end of x or out are touched, as many as cu_seqlens counts beyond them.
std::optional<Cause> varlen_total_over_rows(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
