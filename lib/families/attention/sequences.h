// Hypotheses about the sequences of attention.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::attention {

// Rows of sequences without keys are not written; or sequences of at most one query, some without any, are taken to
// have one row each.
std::optional<Cause> empty_sequence(const Finding& finding, const diagnose::Scene& scene);
// The grid has blocks for more sequences than there are, and cu_seqlens are read past their end by as many.
std::optional<Cause> block_without_sequence(const Finding& finding, const diagnose::Scene& scene);
// A NaN first comes of a row that sees no key, in a forward.
std::optional<Cause> nan_of_blind_rows(const Finding& finding, const diagnose::Scene& scene);
// Rows of v past the last key are read, up to the end of a tile.
std::optional<Cause> values_behind_keys(const Finding& finding, const diagnose::Scene& scene);

}  // namespace ropewalk::attention
