// The rules: every kind of defect that the suite can report.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/list.h"

namespace ropewalk {

enum class Rule : u8 { ROPEWALK_RULES(RW_ENUMERATOR) };
#define RW_RULE(name) Rule::name,

// What a page says of a rule. Those of a check stand with the check (lib/machine/checks/unit.h), the others in
// rules_without_check.cpp; reports/rules.h has them all.
struct RuleInfo {
  Rule rule;
  std::string_view title;   // a few words for headings
  std::string_view means;   // three sentences: what it means,
  std::string_view hurts;   // why it hurts,
  std::string_view causes;  // what usually causes it
};
const std::vector<RuleInfo>& rules_without_check();

std::string_view name_of(Rule rule);
const std::vector<Rule>& all_rules();
std::optional<Rule> rule_named(std::string_view name);

}  // namespace ropewalk
