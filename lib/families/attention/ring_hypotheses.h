// Ways in which the ranks of a ring may go wrong together, where each of them is right about attention.
#pragma once
#include <vector>

#include "lib/compare/ring_tensors.h"
#include "lib/families/attention/attention_case.h"

namespace ropewalk::attention {

// Of the output of one rank. `right` is of all tokens.
std::vector<diagnose::OutputHypothesis> ring_hypotheses(const compare::RankedName& output, const AttentionCase& right);

}  // namespace ropewalk::attention
