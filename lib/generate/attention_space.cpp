#include "lib/generate/attention_space.h"

#include <memory>

#include "lib/generate/attention_flaws.h"
#include "lib/generate/attention_parameters.h"

namespace ropewalk {
namespace {

// Strides beyond what 32 bits hold, with few elements that are touched.
std::vector<Extreme> extremes_of(const KernelFamily& family) {
  constexpr i64 wide = i64(1) << 30;
  AttentionProblem small;
  small.query_tokens = small.key_tokens = small.batch = small.heads = 3;
  small.head_dim = 2;
  std::vector<Extreme> all;
  const auto add = [&](const std::string& name, i64 AttentionProblem::*gap) {
    AttentionProblem problem = small;
    problem.*gap = wide;
    if (unanswerable(family, problem).empty()) all.push_back({name, problem, 0});
  };
  add("strides of q that 32 bits do not hold", &AttentionProblem::q_gap);
  add("strides of k that 32 bits do not hold", &AttentionProblem::k_gap);
  add("strides of v that 32 bits do not hold", &AttentionProblem::v_gap);
  add("strides of out that 32 bits do not hold", &AttentionProblem::out_gap);
  return all;
}

}  // namespace

ProblemSpace attention_space(const KernelFamily& family) {
  const auto parameters = std::make_shared<const std::vector<AttentionParameter>>(attention_parameters());
  ProblemSpace space;
  for (const AttentionParameter& parameter : *parameters)
    space.parameters.push_back({parameter.name, parameter.values});
  space.problem = [parameters](const Choice& choice, Random random) {
    AttentionProblem problem;
    problem.seed = Random(random).below(1000000);
    for (u32 n = 0; n < parameters->size(); ++n) {
      Random own = random.split(n);
      (*parameters)[n].set(problem, choice[n], own);
    }
    return Problem(problem);
  };
  space.flaws = attention_flaws();
  space.extremes = extremes_of(family);
  return space;
}

}  // namespace ropewalk
