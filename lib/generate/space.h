// A space of problems: named parameters, each with named values, from which problems are put together. What a campaign
// knows of a kind of problem is this and nothing else.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/problem/problem.h"

namespace ropewalk::generate {

// A parameter of problems. A value may depend on those of other parameters ("rotary_dim: D - 2"), so that every
// combination of values is a problem of its own.
struct Parameter {
  std::string name;
  std::vector<std::string> values;  // [0] is the plainest
};

// One value of each parameter, by its number; `drawn` stands for a value that is none of the listed ones.
using Choice = std::vector<u32>;
inline constexpr u32 drawn = ~u32(0);

// One known way in which a problem can be wrong, so that preconditions must reject it.
struct Flaw {
  std::string name;  // "a width over head_dim"
  // Breaks a good problem in this way; false where it cannot be broken so.
  std::function<bool(Problem&, Random&)> breaks;
  // Whether the problem is wrong in this way.
  std::function<bool(const Problem&)> is_in;
};

// A good problem worth a case of its own that no combination of small values reaches.
struct Extreme {
  std::string name;
  Problem problem;
  u64 blocks = 0;  // run so many of its blocks: the first, the last and a seeded choice; 0: all
};

struct ProblemSpace {
  std::vector<Parameter> parameters;
  // The good problem of a choice; whatever is left open is drawn.
  std::function<Problem(const Choice&, Random)> problem;
  std::vector<Flaw> flaws;
  std::vector<Extreme> extremes;

  Choice plainest() const { return Choice(parameters.size(), 0); }
};

}  // namespace ropewalk::generate
