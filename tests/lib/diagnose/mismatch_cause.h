// The cause that is named of an output with wrong values.
#pragma once
#include <gtest/gtest.h>

#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"

namespace ropewalk {

// "none": the output is as expected, "": it is not and has no cause. A cause must have its evidence and an advice.
inline std::string mismatch_cause(const Launch& launch, const Problem& problem, const Expectation& expected,
                                  const Outcome& outcome) {
  const Judgement judgement = judge(launch, expected, outcome.tensors, false);
  if (!judgement.wrong) return "none";
  std::vector<Finding> findings{mismatch_finding(launch, expected, judgement)};
  diagnose(findings, launch, &family_of(problem), &problem, outcome.tensors);
  if (!findings[0].cause) return "";
  EXPECT_GE(findings[0].cause->evidence.size(), 3u);  // what fits, what was asked, and the next best
  EXPECT_FALSE(findings[0].cause->advice.empty());
  return findings[0].cause->id;
}

}  // namespace ropewalk
