// The verdict in words, the same in every format.
#pragma once
#include <string>

#include "reports/report.h"

namespace ropewalk::reports {

struct VerdictWords {
  std::string word;           // "clean", "found", "not run"
  std::string text;           // "3 errors, 1 warning in 5 cases, 1 not run"
  std::string circumstances;  // "machine, seed 1, 0.25 s"
};

// What the counts of a report count: the launches of a program, or cases.
std::string_view case_noun(const Report& report);

VerdictWords verdict_words(const Report& report);

// "2 errors, 1 warning, 3 known"; empty where there is nothing.
std::string severities_text(const SeverityCounts& counts);

}  // namespace ropewalk::reports
