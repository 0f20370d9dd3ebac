#include "lib/families/rotary/rotary_space.h"

#include <memory>

#include "lib/base/error.h"
#include "lib/families/rotary/rotary_extremes.h"
#include "lib/families/rotary/rotary_flaws.h"
#include "lib/families/rotary/rotary_parameters.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

using generate::Choice;

namespace {

using Parameters = std::vector<RotaryParameter>;

bool is_taken(const Kernel& kernel, const Parameters& parameters, const Choice& choice) {
  return unanswerable(kernel, generate::chosen(RotaryProblem(), parameters, choice, Random(1))).empty();
}

// The plainest problem that the kernel takes: all first values, or one other value of an optional parameter.
Choice base_of(const Kernel& kernel, const Parameters& parameters) {
  const Choice plain(parameters.size(), 0);
  if (is_taken(kernel, parameters, plain)) return plain;
  for (u32 n = 0; n < parameters.size(); ++n) {
    Choice choice = plain;
    for (choice[n] = 1; parameters[n].optional && choice[n] < parameters[n].values.size(); ++choice[n]) {
      if (is_taken(kernel, parameters, choice)) return choice;
    }
  }
  throw InternalError(kernel.name + " takes none of the plain rotary problems");
}

// By the tensors of the launch that answers the plainest problem.
RotaryTask task_of(const Kernel& kernel) {
  const Parameters parameters = rotary_parameters(RotaryTask::Apply);
  const Launch launch =
      kernel.launch(generate::chosen(RotaryProblem(), parameters, base_of(kernel, parameters), Random(1)));
  if (launch.tensor_named("q") >= 0) return RotaryTask::Keys;
  // Both halves of a table may lie in one tensor.
  const i64 table = std::max(launch.tensor_named("cos"), launch.tensor_named("cos_sin"));
  return table >= 0 && launch.tensors[u64(table)].output ? RotaryTask::Cache : RotaryTask::Apply;
}

// Whether the kernel takes a value of one parameter, whatever the optional values before it are that it takes alone.
bool takes_value(const Kernel& kernel, const Parameters& parameters, const Choice& base, u32 parameter, u32 value) {
  Choice choice = base;
  choice[parameter] = value;
  if (!is_taken(kernel, parameters, choice)) return false;
  for (u32 n = 0; n < parameter; ++n) {
    if (!parameters[n].optional || choice[n] != base[n]) continue;
    for (u32 other = 0; other < parameters[n].values.size(); ++other) {
      Choice alone = base, both = choice;
      alone[n] = both[n] = other;
      if (is_taken(kernel, parameters, alone) && !is_taken(kernel, parameters, both)) return false;
    }
  }
  return true;
}

// The parameters without the values that the kernel has no form for.
Parameters parameters_of(const Kernel& kernel, RotaryTask task) {
  const Parameters all = rotary_parameters(task);
  const Choice base = base_of(kernel, all);
  Parameters narrowed = all;
  for (u32 n = 0; n < all.size(); ++n) {
    if (!all[n].optional) continue;
    std::vector<u32> kept;
    narrowed[n].values.clear();
    for (u32 value = 0; value < all[n].values.size(); ++value) {
      if (!takes_value(kernel, all, base, n, value)) continue;
      kept.push_back(value);
      narrowed[n].values.push_back(all[n].values[value]);
    }
    if (kept.size() == all[n].values.size()) continue;
    narrowed[n].set = [kept, set = all[n].set](RotaryProblem& problem, u32 value, Random& random) {
      set(problem, kept[value == generate::drawn ? random.below(kept.size()) : value], random);
    };
  }
  return narrowed;
}

}  // namespace

generate::ProblemSpace rotary_space(const Kernel& kernel) {
  const RotaryTask task = task_of(kernel);
  const auto parameters = std::make_shared<const std::vector<RotaryParameter>>(parameters_of(kernel, task));
  generate::ProblemSpace space;
  for (const RotaryParameter& parameter : *parameters) space.parameters.push_back({parameter.name, parameter.values});
  space.problem = [parameters](const Choice& choice, Random random) {
    return Problem(generate::chosen(RotaryProblem(), *parameters, choice, random));
  };
  space.flaws = rotary_flaws(task);
  space.extremes = rotary_extremes(kernel, task);
  return space;
}

}  // namespace ropewalk::rotary
