#include "lib/finding/rule.h"

namespace ropewalk {

std::string_view name_of(Rule rule) {
  static const std::vector<std::string> names{ROPEWALK_RULES(RW_SPELLED)};
  return names.at(size_t(rule));
}

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> all{ROPEWALK_RULES(RW_RULE)};
  return all;
}

std::optional<Rule> rule_named(std::string_view name) {
  for (const Rule rule : all_rules()) {
    if (name_of(rule) == name) return rule;
  }
  return std::nullopt;
}

}  // namespace ropewalk
