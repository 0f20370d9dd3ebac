#include "lib/diagnose/diagnose.h"

#include <algorithm>
#include <iterator>

#include "lib/compare/ring_tensors.h"
#include "lib/diagnose/consequences.h"
#include "lib/diagnose/copies.h"
#include "lib/diagnose/hypothesis.h"
#include "lib/diagnose/touched.h"
#include "lib/diagnose/wrong_output.h"

namespace ropewalk::diagnose {

namespace {

std::vector<Cause> causes_by(const std::vector<Hypothesis>& hypotheses, const Finding& finding, const Scene& scene) {
  std::vector<Cause> causes;
  for (const Hypothesis hypothesis : hypotheses) {
    if (auto cause = hypothesis(finding, scene)) causes.push_back(std::move(*cause));
  }
  return causes;
}

// Of the sorts of hypotheses the first that has any that fits: what is predicted to the element, then what reproduces a
// whole output, then what is guessed.
std::vector<Cause> causes_of(const Finding& finding, const Scene& scene) {
  std::vector<Cause> causes = causes_by(exact_hypotheses(), finding, scene);
  if (scene.family) std::ranges::move(causes_by(scene.family->hypotheses, finding, scene), std::back_inserter(causes));
  const bool may_guess = !scene.family || !scene.family->knows_offsets;
  if (!causes.empty() && may_guess)
    std::ranges::move(causes_by(rival_hypotheses(), finding, scene), std::back_inserter(causes));
  if (causes.empty()) causes = causes_of_output(finding, scene);
  if (causes.empty() && may_guess) causes = causes_by(guessing_hypotheses(), finding, scene);
  return causes;
}

// Whether two findings are about tensors that go wrong together: they are one, or parts of the ranks of a ring.
bool is_together(const Finding& of_one, const Finding& of_other, const Scene& scene) {
  const LaunchTensor *one = tensor_of(of_one, scene), *other = tensor_of(of_other, scene);
  return one == other || (one && other && compare::ranked_name(one->name) && compare::ranked_name(other->name));
}

// Of several causes that fit the one that another finding has already, of those that `are_kin` to it.
void choose_by_others(std::vector<std::vector<Cause>>& causes, const std::vector<Finding>& findings, const Scene& scene,
                      bool (*are_kin)(const Finding&, const Finding&, const Scene&)) {
  const auto is_named = [&](const Finding& finding, const Cause& cause) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.cause && other.cause->id == cause.id && are_kin(other, finding, scene);
    });
  };
  for (u64 n = 0; n < findings.size(); ++n) {
    if (causes[n].size() < 2) continue;
    const auto first = std::find_if(causes[n].begin(), causes[n].end(),
                                    [&](const Cause& cause) { return is_named(findings[n], cause); });
    if (first == causes[n].end()) continue;
    if (std::any_of(first + 1, causes[n].end(), [&](const Cause& cause) { return is_named(findings[n], cause); }))
      continue;
    causes[n] = {std::move(*first)};
  }
}

}  // namespace

void diagnose(std::vector<Finding>& findings, const Launch& launch, const Family* family, const Problem* problem,
              const std::vector<TensorAfter>& tensors) {
  const Scene scene{findings, launch, family, problem, tensors};
  std::vector<std::vector<Cause>> causes(findings.size());
  const auto claim = [&](u64 n) {
    if (causes[n].size() == 1) findings[n].cause = std::move(causes[n].front());
  };
  for (u64 n = 0; n < findings.size(); ++n) {
    if (findings[n].cause) continue;
    causes[n] = causes_of(findings[n], scene);
    claim(n);
  }
  const auto claim_all = [&] {
    for (u64 n = 0; n < findings.size(); ++n) {
      if (!findings[n].cause) claim(n);
    }
  };
  choose_by_others(causes, findings, scene, is_together);
  claim_all();
  choose_by_others(causes, findings, scene, [](const Finding&, const Finding&, const Scene&) { return true; });
  claim_all();
  for (u64 n = 0; n < findings.size(); ++n) {
    if (findings[n].cause) continue;
    for (const Cause& cause : causes[n]) findings[n].evidence.push_back("may be " + cause.id + ": " + cause.text);
  }
  // Each sees the causes that those before it gave.
  for (const Hypothesis consequence : {cause_of_race, cause_of_same_barrier, cause_of_second_copy,
                                       cause_of_raced_output, shared_cause_of_output, cause_of_nonfinite_output}) {
    for (Finding& finding : findings) {
      if (!finding.cause) finding.cause = consequence(finding, scene);
    }
  }
}

void diagnose_stored(std::vector<Finding>& findings, const std::vector<Finding>& others, const Launch& launch) {
  diagnose(findings, launch);
  const Scene scene{others, launch, nullptr, nullptr, {}};
  for (Finding& finding : findings) {
    if (!finding.cause) finding.cause = cause_of_same_barrier(finding, scene);
  }
}

}  // namespace ropewalk::diagnose
