// Smaller cases that still show the same.
#pragma once
#include <functional>
#include <vector>

#include "lib/family/family.h"

namespace ropewalk::shrink {

struct Shrunk {
  Problem problem;
  u64 trials = 0;        // problems that were tried
  bool minimal = false;  // every step from here was tried and lost what was looked for; else trials or time ran out
};

// Goes from step to step of the family for as long as `shows` holds, trying `most_trials` problems at most, and none
// once `is_over` says so (empty: it never does). `shows` must hold for the problem given.
Shrunk shrink(const Family& family, const Problem& problem, const std::function<bool(const Problem&)>& shows,
              u64 most_trials, const std::function<bool()>& is_over = {});

}  // namespace ropewalk::shrink
