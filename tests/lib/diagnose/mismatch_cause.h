// The cause that is named of an output with wrong values.
#pragma once
#include <gtest/gtest.h>

#include "lib/compare/judge.h"
#include "lib/diagnose/diagnose.h"
#include "lib/families/families.h"

namespace ropewalk::diagnose {

// "none": the output is as expected, "": it is not and has no cause. A cause must have its evidence and an advice.
inline std::string mismatch_cause(const Launch& launch, const Problem& problem, const Expectation& expected,
                                  const Outcome& outcome) {
  const compare::Judgement judgement = compare::judge(launch, expected, outcome.tensors, false);
  if (!judgement.wrong) return "none";
  std::vector<Finding> findings{compare::mismatch_finding(launch, expected, judgement)};
  diagnose(findings, launch, &families::family_of(problem), &problem, outcome.tensors);
  if (!findings[0].cause) return "";
  EXPECT_GE(findings[0].cause->evidence.size(), 3u);  // what fits, what was asked, and the next best
  EXPECT_FALSE(findings[0].cause->advice.empty());
  return findings[0].cause->id;
}

// The same of an f32 output that holds these numbers; "not expected": nothing is expected of it.
inline std::string cause_of_values(const Launch& launch, const Problem& problem, const std::string& output,
                                   const std::vector<double>& values) {
  const std::vector<float> held(values.begin(), values.end());
  Outcome outcome;
  outcome.tensors.resize(launch.tensors.size());
  const u32 number = u32(launch.tensor_named(output));
  outcome.tensors[number].bytes = reinterpret_cast<const std::byte*>(held.data());
  for (const Expectation& expected : launch.expectations) {
    if (expected.tensor == number) return mismatch_cause(launch, problem, expected, outcome);
  }
  return "not expected";
}

}  // namespace ropewalk::diagnose
