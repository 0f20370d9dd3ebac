#include "lib/campaign/relations.h"

#include <fmt/format.h>

#include "lib/base/random.h"
#include "lib/campaign/relation.h"

namespace ropewalk::campaign {
namespace {

Finding violated(const Relation& relation, const Launch& launch, u32 tensor, const compare::Judgement& judgement) {
  Finding finding = compare::mismatch_finding(launch, Expectation{tensor}, judgement);
  const compare::WrongElement& worst = *judgement.worst;
  finding.message = fmt::format("violates \"{}\" in {} of {} comparisons of {}: at {}, {:.9g} where {:.9g} is expected",
                                relation.name, judgement.wrong, judgement.compared, launch.tensors[tensor].name,
                                text_of(worst.index), worst.got, worst.expected);
  finding.evidence = {fmt::format("the bound there is {:.3g}", worst.bound),
                      "found by a relation between outputs, without the reference"};
  return finding;
}

}  // namespace

void judge_relations(const Trial& trial, const Launch& launch, Outcome& outcome, Executor& executor,
                     const RunOptions& options) {
  const RelationScene scene(trial, launch, outcome, executor, options);
  std::vector<const Relation*> fitting;
  for (const Relation& relation : trial.kernel.family->relations(launch)) {
    if (relation.applies(scene)) fitting.push_back(&relation);
  }
  if (fitting.empty()) return;
  const Relation& relation = *fitting[mix(seed_of(trial.problem)) % fitting.size()];
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    if (!launch.tensors[n].output) continue;
    const std::optional<compare::Judgement> judgement = relation.judge(scene, launch.tensors[n].name);
    if (!judgement || !judgement->wrong) continue;
    outcome.findings.push_back(violated(relation, launch, n, *judgement));
    outcome.kind = OutcomeKind::Disagreed;
  }
}

}  // namespace ropewalk::campaign
