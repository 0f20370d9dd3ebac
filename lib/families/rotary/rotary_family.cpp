#include "lib/families/rotary/rotary_family.h"

#include "lib/families/rotary/bad_argument.h"
#include "lib/families/rotary/expect_rotary.h"
#include "lib/families/rotary/rotary_hypotheses.h"
#include "lib/families/rotary/rotary_relations.h"
#include "lib/families/rotary/rotary_space.h"
#include "lib/families/rotary/rotary_steps.h"

namespace ropewalk::rotary {
namespace {

Problem parse(std::string_view text) { return parse_rotary(text); }

std::vector<Problem> smaller(const Problem& problem) {
  std::vector<Problem> problems;
  for (RotaryProblem& one : smaller_problems_of(problem.get<RotaryProblem>())) problems.push_back(std::move(one));
  return problems;
}

void expect(const Problem& problem, Launch& launch) { expect_answer_of(problem.get<RotaryProblem>(), launch); }

const std::vector<campaign::Relation>& relations(const Launch&) { return rotary_relations(); }

std::vector<diagnose::OutputHypothesis> hypotheses(const LaunchTensor& output, const Problem& problem,
                                                   const diagnose::Scene& scene) {
  return rotary_hypotheses(output, problem.get<RotaryProblem>(), scene);
}

}  // namespace

const Family& family() {
  static const Family family{"rotary", parse, rotary_space, smaller, expect, relations, hypotheses, {bad_argument}};
  return family;
}

}  // namespace ropewalk::rotary
