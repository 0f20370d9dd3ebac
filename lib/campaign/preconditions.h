// Whether a kernel's preconditions take what they must take and reject what they must reject.
#pragma once
#include <optional>

#include "lib/campaign/examine.h"

namespace ropewalk::campaign {

// The finding where the preconditions decide wrongly about the trial's problem: it has a flaw and was accepted, or has
// none and was rejected for `reasons` (empty: accepted).
std::optional<Finding> judge_preconditions(const Trial& trial, const std::vector<std::string>& reasons);

}  // namespace ropewalk::campaign
