// Failures of an exploration as findings.
#pragma once
#include <vector>

#include "lib/finding/finding.h"
#include "lib/init/explore.h"

namespace ropewalk::init {

// One finding for each cause and event that it shows at, with the rule that separates bad orders from good ones, an
// order that fails with the state after each step, the event that made it so, and a smallest plan that still fails.
std::vector<Finding> findings_of(const Exploration& exploration, Simulator& simulator);

// The rule in words for the orders of one failure, "bad exactly when to_empty comes after build_cache and no
// unconditional reset follows"; where none of the small rules fits all of them, that is reported.
std::string rule_text(Simulator& simulator, const FailureSeen& seen);

}  // namespace ropewalk::init
