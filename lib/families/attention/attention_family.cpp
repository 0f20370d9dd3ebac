#include "lib/families/attention/attention_family.h"

#include "lib/compare/ring_tensors.h"
#include "lib/families/attention/attention_hypotheses.h"
#include "lib/families/attention/attention_relations.h"
#include "lib/families/attention/attention_space.h"
#include "lib/families/attention/attention_steps.h"
#include "lib/families/attention/expect_attention.h"
#include "lib/families/attention/misread_pages.h"
#include "lib/families/attention/sequences.h"

namespace ropewalk::attention {
namespace {

Problem parse(std::string_view text) { return parse_attention(text); }

std::vector<Problem> smaller(const Problem& problem) {
  std::vector<Problem> problems;
  for (AttentionProblem& one : smaller_problems_of(problem.get<AttentionProblem>())) problems.push_back(std::move(one));
  return problems;
}

void expect(const Problem& problem, Launch& launch) { expect_answer_of(problem.get<AttentionProblem>(), launch); }

const std::vector<campaign::Relation>& relations(const Launch& launch) {
  return compare::is_ring(launch) ? ring_relations() : attention_relations();
}

std::vector<diagnose::OutputHypothesis> hypotheses(const LaunchTensor& output, const Problem& problem,
                                                   const diagnose::Scene& scene) {
  return attention_hypotheses(output, problem.get<AttentionProblem>(), scene);
}

}  // namespace

const Family& family() {
  static const Family family{"attention",
                             parse,
                             attention_space,
                             smaller,
                             expect,
                             relations,
                             hypotheses,
                             {misread_pages, parts_without_keys, empty_sequence, block_without_sequence,
                              nan_of_blind_rows, values_behind_keys}};
  return family;
}

}  // namespace ropewalk::attention
