#include "lib/shrink/shrink.h"

#include "lib/shrink/attention_steps.h"
#include "lib/shrink/rotary_steps.h"

namespace ropewalk {

std::vector<Problem> smaller_problems(const Problem& problem) {
  return std::visit(
      [](const auto& of_kind) {
        std::vector<Problem> problems;
        for (auto& smaller : smaller_problems_of(of_kind)) problems.push_back(std::move(smaller));
        return problems;
      },
      problem);
}

Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows, u64 most_trials,
              const std::function<bool()>& is_over) {
  Shrunk result{problem};
  std::vector<Problem> candidates = smaller_problems(result.problem);
  // After a step that holds, its like is tried next; the end is a whole round in which none holds.
  u64 next = 0, failed = 0;
  while (failed < candidates.size()) {
    if (result.trials == most_trials || (is_over && is_over())) return result;
    ++result.trials;
    next %= candidates.size();
    if (!shows(candidates[next])) {
      ++next;
      ++failed;
      continue;
    }
    result.problem = std::move(candidates[next]);
    candidates = smaller_problems(result.problem);
    failed = 0;
  }
  result.minimal = true;
  return result;
}

}  // namespace ropewalk
