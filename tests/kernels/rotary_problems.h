// Rotary problems drawn at random, for tests.
#pragma once
#include "lib/base/random.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

// A small problem that the family's contract takes: "rotary/apply", "rotary/qk" or "rotary/cache".
RotaryProblem good_rotary_problem(Random random, const std::string& family);

}  // namespace ropewalk
