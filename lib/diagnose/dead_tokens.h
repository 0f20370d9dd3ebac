// Rows of x that belong to no sequence.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// Exactly the rows past the last sequence are touched, or those rows of cos and sin that they ask for as tokens of
// the last sequence.
std::optional<Cause> tokens_behind_sequences(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
