// What a page says of each rule, gathered from the checks and from those who report without one.
#pragma once
#include "lib/finding/rule.h"

namespace ropewalk::reports {

const RuleInfo& info_of(Rule rule);

}  // namespace ropewalk::reports
