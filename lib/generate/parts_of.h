// What a space of problems is made of, for one kind of problem: a family says it in terms of its own fields.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::generate {

template <class Kind>
struct ParameterOf {
  std::string name;
  std::vector<std::string> values;  // [0] is the plainest
  // Sets the value with that number, or draws one. Parameters are set in their order.
  std::function<void(Kind&, u32 value, Random&)> set;
  // A kernel may have no entry for some of its values; its preconditions are asked about them.
  bool optional = false;
};

// A size with listed values, or drawn from [low, high]: small ones more often, for they show most defects, and sooner.
template <class Kind>
ParameterOf<Kind> size_parameter(const std::string& name, i64 Kind::*field, const std::vector<i64>& values, i64 low,
                                 i64 high) {
  ParameterOf<Kind> parameter{name, {}, {}};
  for (const i64 value : values) parameter.values.push_back(std::to_string(value));
  parameter.set = [=](Kind& problem, u32 value, Random& random) {
    problem.*field = value == drawn ? random.between(low, random.between(low, high)) : values[value];
  };
  return parameter;
}

// A choice among listed values that has no others.
template <class Kind>
ParameterOf<Kind> word_parameter(const std::string& name, const std::vector<std::string>& values,
                                 const std::function<void(Kind&, u32)>& set, bool optional = false) {
  const u32 count = u32(values.size());
  return {name, values,
          [=](Kind& problem, u32 value, Random& random) {
            set(problem, value == drawn ? u32(random.below(count)) : value);
          },
          optional};
}

// The problem of a choice: `plain` with the values of its parameters, and a seed of its own.
template <class Kind>
Kind chosen(Kind plain, const std::vector<ParameterOf<Kind>>& parameters, const Choice& choice, const Random& random) {
  plain.seed = Random(random).below(1000000);
  for (u32 n = 0; n < parameters.size(); ++n) {
    Random own = random.split(n);
    parameters[n].set(plain, choice[n], own);
  }
  return plain;
}

template <class Kind>
Flaw flaw_of(const std::string& name, const std::function<bool(Kind&, Random&)>& breaks,
             const std::function<bool(const Kind&)>& is_in) {
  return {name, [=](Problem& problem, Random& random) { return breaks(problem.get<Kind>(), random); },
          [=](const Problem& problem) { return is_in(problem.get<Kind>()); }};
}

// A number below the least that it may be.
template <class Kind>
Flaw flaw_below(const std::string& name, i64 Kind::*field, i64 least) {
  return flaw_of<Kind>(
      name + " below " + std::to_string(least),
      [=](Kind& problem, Random& random) {
        problem.*field = least - random.between(1, 2);
        return true;
      },
      [=](const Kind& problem) { return problem.*field < least; });
}

}  // namespace ropewalk::generate
