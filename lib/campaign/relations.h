// Relations that need no reference: what the answers of related problems must have to do with each other.
#pragma once
#include "lib/campaign/examine.h"

namespace ropewalk::campaign {

// Holds the outputs of a launch that agreed with its expectations against the launches of related problems, one
// relation of those that the kind of problem has, chosen by the problem's seed. Adds a finding where it is violated,
// and makes Disagreed of the outcome then.
void judge_relations(const Trial& trial, const Launch& launch, Outcome& outcome, Executor& executor,
                     const RunOptions& options);

}  // namespace ropewalk::campaign
