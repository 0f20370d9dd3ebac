#include "tools/run/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/machine/checks/unit.h"
#include "tools/run/executor.h"

namespace ropewalk::tools {

using reports::CheckLeftOut;

namespace {

template <class WhyVacuous>
MadeChecks made_where(const SharedOptions& shared, const WhyVacuous& why_vacuous) {
  MadeChecks checks;
  const CheckSet possible = checks_of(shared.executor);
  for (const Check check : all_checks()) {
    std::string why = !shared.checks.has(check) ? "left out by --checks"
                      : !possible.has(check) ? fmt::format("the executor {} cannot check it", name_of(shared.executor))
                                             : why_vacuous(check);
    if (why.empty()) {
      checks.made.emplace_back(name_of(check));
    } else {
      checks.left_out.push_back({std::string(name_of(check)), std::move(why)});
    }
  }
  return checks;
}

}  // namespace

MadeChecks checks_made(const SharedOptions& shared, const Launch& launch) {
  MadeChecks checks = made_where(shared, [&](Check check) {
    const machine::CheckUnit& unit = machine::unit_of(check);
    return unit.why_vacuous ? unit.why_vacuous(launch) : std::string();
  });
  // Of outputs of which nothing is expected, it is seen alone that they are written.
  const bool made = std::find(checks.made.begin(), checks.made.end(), name_of(Check::Outputs)) != checks.made.end();
  if (made && launch.expectations.empty()) {
    checks.left_out.push_back({std::string(name_of(Check::Outputs)), "values are not compared: nothing is expected"});
  }
  return checks;
}

MadeChecks checks_made(const SharedOptions& shared) {
  return made_where(shared, [](Check) { return std::string(); });
}

void tell_checks(reports::Coverage& coverage, const std::vector<MadeChecks>& cases) {
  std::vector<std::pair<CheckLeftOut, u64>> left_out;  // each once, with the number of cases
  for (const MadeChecks& one : cases) {
    for (const std::string& check : one.made) {
      if (std::find(coverage.checks.begin(), coverage.checks.end(), check) == coverage.checks.end())
        coverage.checks.push_back(check);
    }
    for (const CheckLeftOut& left : one.left_out) {
      const auto known = std::find_if(left_out.begin(), left_out.end(), [&](const auto& entry) {
        return entry.first.check == left.check && entry.first.reason == left.reason;
      });
      if (known == left_out.end()) {
        left_out.emplace_back(left, 1);
      } else {
        ++known->second;
      }
    }
  }
  for (auto& [left, count] : left_out) {
    if (count < cases.size()) left.reason += fmt::format(", in {} of {} cases", count, cases.size());
    coverage.left_out.push_back(std::move(left));
  }
  // In the order in which checks are listed, whichever case came first.
  const auto index_of_check = [](const std::string& name) {
    const auto& all = all_checks();
    return std::find_if(all.begin(), all.end(), [&](Check check) { return name_of(check) == name; }) - all.begin();
  };
  std::stable_sort(coverage.checks.begin(), coverage.checks.end(),
                   [&](const std::string& a, const std::string& b) { return index_of_check(a) < index_of_check(b); });
  std::stable_sort(
      coverage.left_out.begin(), coverage.left_out.end(),
      [&](const CheckLeftOut& a, const CheckLeftOut& b) { return index_of_check(a.check) < index_of_check(b.check); });
}

}  // namespace ropewalk::tools
