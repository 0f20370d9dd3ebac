// What came of a check that no executor runs: of caches, of plans, of calls.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"

namespace ropewalk {

struct Answer {
  std::vector<Finding>
      findings;  // without the case and the replay, and where they have no id of their own without an id
  std::vector<std::string> notes;
  u64 cases = 0, passed = 0;  // what was looked at one by one: tables, plans, calls
  // What was not judged, and why; empty: all of it.
  struct NotJudged {
    std::string what, reason;
  };
  std::vector<NotJudged> not_judged;
};

}  // namespace ropewalk
