// Holds what a seeded bug and its correct counterpart gave against what the atlas says of them.
#pragma once
#include <string>
#include <vector>

#include "tools/atlas/bug.h"

namespace ropewalk::tools {

// One bug of the atlas with its cases.
struct AtlasRun {
  const AtlasBug* bug = nullptr;
  CaseResult faulty;
  std::optional<CaseResult> counterpart;  // none: it rejects the case, as it should
};

struct AtlasJudgement {
  const Finding* found = nullptr;   // the finding that was expected; null: there was none. Of the run's
  std::vector<std::string> unlike;  // what is not as expected, a sentence each
  bool as_expected() const { return unlike.empty(); }
};

// Whether a finding is the expected one: of its rule, tensor, line of the file `source`, and cause.
bool is_expected(const Finding& finding, const kernels::ExpectedFinding& expected, const std::string& source);

// Expected are: a finding of that rule, tensor, line and cause; no other cause; and a counterpart without findings.
// What is waived, by a baseline or a suppression, does not count against either.
AtlasJudgement judge(const AtlasRun& run);

}  // namespace ropewalk::tools
