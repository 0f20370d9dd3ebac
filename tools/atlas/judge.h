// Holds what a planted fault and its healthy twin gave against what the atlas says of them.
#pragma once
#include <string>
#include <vector>

#include "tools/atlas/bug.h"

namespace ropewalk {

// One bug of the atlas with its cases.
struct AtlasRun {
  const AtlasBug* bug = nullptr;
  CaseResult faulty;
  std::optional<CaseResult> twin;  // none: it rejects the case, as it should
};

struct AtlasJudgement {
  const Finding* found = nullptr;   // the finding that was expected; null: there was none. Of the run's
  std::vector<std::string> unlike;  // what is not as expected, a sentence each
  bool as_expected() const { return unlike.empty(); }
};

// Expected are: a finding of that rule, tensor, line and cause; no other cause; and a twin without findings.
AtlasJudgement judge(const AtlasRun& run);

}  // namespace ropewalk
