// Whether a contract takes what it must take and rejects what it must reject.
#pragma once
#include <optional>

#include "lib/campaign/examine.h"

namespace ropewalk {

// The finding where the contract decides wrongly about the trial's problem: it has a flaw and was accepted, or has none
// and was rejected for `reasons` (empty: accepted).
std::optional<Finding> judge_contract(const Trial& trial, const std::vector<std::string>& reasons);

}  // namespace ropewalk
