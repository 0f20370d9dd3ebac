// Smaller cases that still show the same.
#pragma once
#include <functional>
#include <vector>

#include "lib/problem/problem.h"

namespace ropewalk {

// Problems that are one step smaller than this one, in the order in which they are worth a try: a step takes a number
// towards its least, a list entry away, or a flag or word back to its plainest, and every way that lowers one number by
// one, drops one entry or clears one flag is among them. Steps never lead back.
std::vector<Problem> smaller_problems(const Problem& problem);

struct Shrunk {
  Problem problem;
  u64 trials = 0;        // problems that were tried
  bool minimal = false;  // every step from here was tried and lost what was looked for; else trials or time ran out
};

// Goes from step to step for as long as `shows` holds, trying `most_trials` problems at most, and none once `is_over`
// says so (empty: it never does). `shows` must hold for the problem given.
Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows, u64 most_trials,
              const std::function<bool()>& is_over = {});

}  // namespace ropewalk
