// Causes of outputs that hold wrong numbers.
#pragma once
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// The causes whose hypothesis of the problem reproduces every element that was compared, within the bound of the
// reference, where the right hypothesis does not: one for each such cause. The evidence has the residuals of the
// hypothesis that fits, of the right one and of the next best.
std::vector<Cause> causes_of_output(const Finding& finding, const Scene& scene);

// The cause that all other findings of the output have, where a hypothesis with that cause contradicts no element of
// it: it may say nothing of most of them, as of those that threads race for.
std::optional<Cause> shared_cause_of_output(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
