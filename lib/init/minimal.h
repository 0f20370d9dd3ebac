// A smallest plan that still fails.
#pragma once
#include <string>

#include "lib/init/plan.h"

namespace ropewalk::init {

// Fewer ranks and fewer events, as long as some order still fails by this cause: taking away one more event, or one
// more rank, would leave none.
Plan minimal_plan(const Plan& plan, const std::string& cause, const std::string& failing_event);

// "1 rank: construct -> to_empty -> forward".
std::string in_words(const Plan& plan);

}  // namespace ropewalk::init
