// Determinism: the same launch with its blocks in another order must leave the same bits.
#pragma once
#include "lib/launch/outcome.h"

namespace ropewalk::campaign {

// Runs the launch again with its blocks in another order, unless only some of its blocks are run. Adds a finding for
// each output whose bits differ from those of `outcome`, or what the checks find in this order, and makes Found of the
// outcome then.
void judge_order(const Launch& launch, Outcome& outcome, Executor& executor, RunOptions options);

}  // namespace ropewalk::campaign
