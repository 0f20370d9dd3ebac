#include "lib/shrink/shrink.h"

namespace ropewalk::shrink {

Shrunk shrink(const Family& family, const Problem& problem, const std::function<bool(const Problem&)>& shows,
              u64 most_trials, const std::function<bool()>& is_over) {
  Shrunk result{problem};
  std::vector<Problem> candidates = family.smaller(result.problem);
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
    candidates = family.smaller(result.problem);
    failed = 0;
  }
  result.minimal = true;
  return result;
}

}  // namespace ropewalk::shrink
