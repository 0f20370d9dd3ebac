#include "lib/generate/rotary_space.h"

#include <memory>

#include "lib/generate/rotary_flaws.h"
#include "lib/generate/rotary_parameters.h"

namespace ropewalk {
namespace {

RotaryProblem problem_of(const std::vector<RotaryParameter>& parameters, const Choice& choice, const Random& random) {
  RotaryProblem problem;
  problem.seed = Random(random).below(1000000);
  for (u32 n = 0; n < parameters.size(); ++n) {
    Random own = random.split(n);
    parameters[n].set(problem, choice[n], own);
  }
  return problem;
}

// By the tensors of the launch that answers the plainest problem.
RotaryTask task_of(const KernelFamily& family) {
  const Launch launch = family.launch(RotaryProblem{});
  if (launch.tensor_named("q") >= 0) return RotaryTask::Keys;
  return launch.tensors[u64(launch.tensor_named("cos"))].output ? RotaryTask::Cache : RotaryTask::Apply;
}

// A parameter without the values that the family has no form for.
RotaryParameter narrowed(RotaryParameter parameter, const KernelFamily& family,
                         const std::vector<RotaryParameter>& all) {
  if (!parameter.optional) return parameter;
  std::vector<u32> kept;
  std::vector<std::string> names;
  for (u32 value = 0; value < parameter.values.size(); ++value) {
    bool taken = true;
    // x's dtype may decide whether the cache's is taken.
    for (u32 dtype = 0; dtype < 3; ++dtype) {
      Choice choice(all.size(), 0);
      bool has_dtype = false;
      for (u32 n = 0; n < all.size(); ++n) {
        if (all[n].name == parameter.name) choice[n] = value;
        if (all[n].name != "dtype" || parameter.name != "cache_dtype") continue;
        choice[n] = dtype;
        has_dtype = dtype < all[n].values.size();
      }
      if (dtype > 0 && !has_dtype) continue;
      taken = taken && unanswerable(family, problem_of(all, choice, Random(1))).empty();
    }
    if (!taken) continue;
    kept.push_back(value);
    names.push_back(parameter.values[value]);
  }
  if (names.size() == parameter.values.size()) return parameter;
  parameter.values = names;
  parameter.set = [kept, set = parameter.set](RotaryProblem& problem, u32 value, Random& random) {
    set(problem, kept[value == drawn ? random.below(kept.size()) : value], random);
  };
  return parameter;
}

std::vector<RotaryParameter> parameters_of(const KernelFamily& family, RotaryTask task) {
  std::vector<RotaryParameter> parameters = rotary_parameters(task);
  for (RotaryParameter& parameter : parameters) parameter = narrowed(parameter, family, parameters);
  return parameters;
}

// Strides and grids beyond what 32 and 16 bits hold, with few elements that are touched.
std::vector<Extreme> extremes_of(const KernelFamily& family, RotaryTask task) {
  std::vector<Extreme> all;
  const auto add = [&](const std::string& name, const RotaryProblem& problem, u64 blocks = 0) {
    if (unanswerable(family, problem).empty()) all.push_back({name, problem, blocks});
  };
  if (task == RotaryTask::Cache) {
    RotaryProblem problem;
    problem.tokens = 70000;
    problem.head_dim = 2;
    add("more rows than 16 bits count", problem, 32);
    return all;
  }
  RotaryProblem small;
  small.tokens = 1;
  small.head_dim = 2;
  constexpr i64 wide = i64(1) << 30;
  RotaryProblem problem = small;
  problem.batch = 3;
  problem.token_gap = wide;
  add("a batch stride that 32 bits do not hold twice", problem);
  problem = small;
  problem.tokens = 3;
  problem.token_gap = wide;
  add("a token stride that 32 bits do not hold twice", problem);
  problem = small;
  problem.heads = 3;
  problem.row_gap = wide;
  add("a head stride that 32 bits do not hold twice", problem);
  problem = small;
  problem.batch = 65537;
  add("more sequences than 16 bits count", problem, 32);
  problem = small;
  problem.heads = 65537;
  add("more heads than 16 bits count", problem, 32);
  problem = small;
  problem.batch = (i64(1) << 20) + 1;
  problem.heads = 1024;
  add("more elements than 31 bits count", problem, 8);
  return all;
}

}  // namespace

ProblemSpace rotary_space(const KernelFamily& family) {
  const RotaryTask task = task_of(family);
  const auto parameters = std::make_shared<const std::vector<RotaryParameter>>(parameters_of(family, task));
  ProblemSpace space;
  for (const RotaryParameter& parameter : *parameters) space.parameters.push_back({parameter.name, parameter.values});
  space.problem = [parameters](const Choice& choice, Random random) {
    return Problem(problem_of(*parameters, choice, random));
  };
  space.flaws = rotary_flaws(task);
  space.extremes = extremes_of(family, task);
  return space;
}

}  // namespace ropewalk
