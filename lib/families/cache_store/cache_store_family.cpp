#include "lib/families/cache_store/cache_store_family.h"

#include "lib/campaign/relation.h"
#include "lib/families/cache_store/cache_store_space.h"
#include "lib/families/cache_store/cache_store_steps.h"
#include "lib/families/cache_store/expect_cache_store.h"
#include "lib/families/cache_store/misread_store.h"
#include "lib/families/cache_store/store_hypotheses.h"

namespace ropewalk::cache_store {
namespace {

Problem parse_store(std::string_view text) { return parse_cache_store(text); }

std::vector<Problem> smaller_stores(const Problem& problem) {
  std::vector<Problem> problems;
  for (CacheStoreProblem& one : smaller_problems_of(problem.get<CacheStoreProblem>()))
    problems.push_back(std::move(one));
  return problems;
}

void expect_store(const Problem& problem, Launch& launch) {
  expect_answer_of(problem.get<CacheStoreProblem>(), launch);
}

// What is expected is exact: related problems tell nothing more.
const std::vector<campaign::Relation>& no_relations(const Launch&) {
  static const std::vector<campaign::Relation> none;
  return none;
}

std::vector<diagnose::OutputHypothesis> hypotheses_of_store(const LaunchTensor& output, const Problem& problem,
                                                            const diagnose::Scene& scene) {
  return cache_store_hypotheses(output, problem.get<CacheStoreProblem>(), scene);
}

}  // namespace

const Family& family() {
  static const Family family{"cache-store", parse_store,  cache_store_space,   smaller_stores,
                             expect_store,  no_relations, hypotheses_of_store, {misread_store, contested_slots},
                             true};
  return family;
}

}  // namespace ropewalk::cache_store
