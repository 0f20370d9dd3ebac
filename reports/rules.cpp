#include "reports/rules.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/machine/checks/unit.h"

namespace ropewalk::reports {

const RuleInfo& info_of(Rule rule) {
  if (const machine::CheckUnit* unit = machine::unit_of(rule)) return *unit->info_of(rule);
  const std::vector<RuleInfo>& others = rules_without_check();
  const auto found = std::ranges::find(others, rule, &RuleInfo::rule);
  if (found == others.end()) throw InternalError("no text describes the rule " + std::string(name_of(rule)));
  return *found;
}

}  // namespace ropewalk::reports
