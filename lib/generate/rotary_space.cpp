#include "lib/generate/rotary_space.h"

#include <memory>

#include "lib/base/error.h"
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

using Parameters = std::vector<RotaryParameter>;

bool is_taken(const KernelFamily& family, const Parameters& parameters, const Choice& choice) {
  return unanswerable(family, problem_of(parameters, choice, Random(1))).empty();
}

// The plainest problem that the family takes: all first values, or one other value of an optional parameter.
Choice base_of(const KernelFamily& family, const Parameters& parameters) {
  const Choice plain(parameters.size(), 0);
  if (is_taken(family, parameters, plain)) return plain;
  for (u32 n = 0; n < parameters.size(); ++n) {
    Choice choice = plain;
    for (choice[n] = 1; parameters[n].optional && choice[n] < parameters[n].values.size(); ++choice[n]) {
      if (is_taken(family, parameters, choice)) return choice;
    }
  }
  throw InternalError(family.name + " takes none of the plain rotary problems");
}

// By the tensors of the launch that answers the plainest problem.
RotaryTask task_of(const KernelFamily& family) {
  const Parameters parameters = rotary_parameters(RotaryTask::Apply);
  const Launch launch = family.launch(problem_of(parameters, base_of(family, parameters), Random(1)));
  if (launch.tensor_named("q") >= 0) return RotaryTask::Keys;
  // Both halves of a table may lie in one tensor.
  const i64 table = std::max(launch.tensor_named("cos"), launch.tensor_named("cos_sin"));
  return table >= 0 && launch.tensors[u64(table)].output ? RotaryTask::Cache : RotaryTask::Apply;
}

// Whether the family takes a value of one parameter, whatever the optional values before it are that it takes alone.
bool takes_value(const KernelFamily& family, const Parameters& parameters, const Choice& base, u32 parameter,
                 u32 value) {
  Choice choice = base;
  choice[parameter] = value;
  if (!is_taken(family, parameters, choice)) return false;
  for (u32 n = 0; n < parameter; ++n) {
    if (!parameters[n].optional || choice[n] != base[n]) continue;
    for (u32 other = 0; other < parameters[n].values.size(); ++other) {
      Choice alone = base, both = choice;
      alone[n] = both[n] = other;
      if (is_taken(family, parameters, alone) && !is_taken(family, parameters, both)) return false;
    }
  }
  return true;
}

// The parameters without the values that the family has no form for.
Parameters parameters_of(const KernelFamily& family, RotaryTask task) {
  const Parameters all = rotary_parameters(task);
  const Choice base = base_of(family, all);
  Parameters narrowed = all;
  for (u32 n = 0; n < all.size(); ++n) {
    if (!all[n].optional) continue;
    std::vector<u32> kept;
    narrowed[n].values.clear();
    for (u32 value = 0; value < all[n].values.size(); ++value) {
      if (!takes_value(family, all, base, n, value)) continue;
      kept.push_back(value);
      narrowed[n].values.push_back(all[n].values[value]);
    }
    if (kept.size() == all[n].values.size()) continue;
    narrowed[n].set = [kept, set = all[n].set](RotaryProblem& problem, u32 value, Random& random) {
      set(problem, kept[value == drawn ? random.below(kept.size()) : value], random);
    };
  }
  return narrowed;
}

// Problems whose strides, grids and heads are beyond what 32 and 16 bits hold or a block is wide, with few elements
// that are touched.
std::vector<Extreme> extremes_of(const KernelFamily& family, RotaryTask task) {
  std::vector<Extreme> all;
  const auto add = [&](const std::string& name, const RotaryProblem& problem, u64 blocks = 0) {
    if (unanswerable(family, problem).empty()) all.push_back({name, problem, blocks});
  };
  RotaryProblem problem;
  problem.tokens = 2;
  problem.head_dim = 400;
  problem.rotary_dim = task == RotaryTask::Cache ? 0 : 264;
  add("a head wider than a block", problem);
  if (task == RotaryTask::Cache) {
    // From 105615 on the CUDA toolkit's sine and cosine reduce their angles in another way.
    problem.tokens = 300000;
    problem.head_dim = 2;
    add("more rows than 16 bits count", problem, 64);
    return all;
  }
  RotaryProblem small;
  small.tokens = 1;
  small.head_dim = 8;  // of f32 two times 16 bytes
  small.key_heads = task == RotaryTask::Keys ? 1 : 0;
  constexpr i64 wide = i64(1) << 30;
  problem = small;
  problem.batch = 3;
  problem.token_gap = wide;
  add("a batch stride that 32 bits do not hold twice", problem);
  problem = small;
  problem.tokens = 3;
  problem.token_gap = wide;
  add("a token stride that 32 bits do not hold twice", problem);
  const bool out_of_place = task == RotaryTask::Apply;
  problem.inplace = true;  // the strides of the output are those of the input then
  if (out_of_place) add("a token stride that 32 bits do not hold twice, in place", problem);
  problem.cu_seqlens = {0, 2, 3};
  add("a sequence that begins behind what 32 bits hold, in place", problem);
  problem = small;
  problem.heads = 3;
  problem.row_gap = wide;
  add("a head stride that 32 bits do not hold twice", problem);
  problem.inplace = true;
  if (out_of_place) add("a head stride that 32 bits do not hold twice, in place", problem);
  problem.inplace = false;
  problem.head_dim = 36;  // seven times 16 bytes are not rotated
  problem.rotary_dim = 8;
  if (out_of_place) add("a head stride that 32 bits do not hold twice, with columns that are not rotated", problem);
  problem = small;
  problem.head_dim = i64(1) << 20;
  problem.rotary_dim = 8;
  problem.key_heads = 2303;  // the last head of all is one of the first block's
  if (task == RotaryTask::Keys) add("a head of k that begins behind what 32 bits hold", problem, 2);
  if (out_of_place) {
    problem = small;
    problem.batch = 256;
    problem.heads = 5;
    problem.head_dim = 64;
    add("more heads than blocks that share them", problem);
    problem.inplace = true;
    add("more heads than blocks that share them, in place", problem);
  }
  problem = small;
  problem.batch = 65537;
  add("more sequences than 16 bits count", problem, 32);
  problem = small;
  problem.heads = 65537;
  add("more heads than 16 bits count", problem, 32);
  problem = small;
  problem.batch = (i64(1) << 20) + 1;
  problem.heads = 1024;
  if (out_of_place) {
    problem.head_dim = 36;
    problem.rotary_dim = 8;
  }
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
