#include "lib/machine/checks/unit.h"

#include <algorithm>
#include <array>

namespace ropewalk::machine {

namespace {

// By check.
const auto& all_units() {
#define RW_UNIT(name) &unit<Check::name>(),
  static const std::array units{ROPEWALK_CHECKS(RW_UNIT)};
#undef RW_UNIT
  return units;
}

}  // namespace

const RuleInfo* CheckUnit::info_of(Rule rule) const {
  const auto found = std::ranges::find(rules, rule, &RuleInfo::rule);
  return found == rules.end() ? nullptr : &*found;
}

const CheckUnit& unit_of(Check check) { return *all_units()[size_t(check)]; }

const CheckUnit* unit_of(Rule rule) {
  const auto found = std::ranges::find_if(all_units(), [&](const CheckUnit* unit) { return unit->info_of(rule); });
  return found == all_units().end() ? nullptr : *found;
}

Precheck precheck_of(const Code& code, const Step& step, bool is_uniform) {
  for (const CheckUnit* unit : all_units()) {
    if (!unit->precheck) continue;
    if (const Handler handler = unit->precheck(code, step, is_uniform)) return {unit, handler};
  }
  return {};
}

Checkers make_checkers(CheckSet checks, Listening listening) {
  Checkers out;
  for (const bool is_first : {true, false}) {
    for (const Check check : all_checks()) {
      const CheckUnit& unit = unit_of(check);
      if (!unit.listen || unit.is_asked_first != is_first || !(checks.has(check) || unit.listens_always)) continue;
      listening.is_asked_for = checks.has(check);
      out.push_back(unit.listen(listening));
    }
  }
  return out;
}

}  // namespace ropewalk::machine
