// The report as text for a terminal.
#pragma once
#include <optional>
#include <string>

#include "reports/report.h"
#include "reports/source.h"

namespace ropewalk::reports {

struct TextOptions {
  bool color = false;
  bool quiet = false;        // the verdict line alone
  SourceLines source_lines;  // empty: those that the report holds
  // Findings that are shown in full. None: one of each cause, and where no cause is known one of each rule and tensor,
  // and ten at most.
  std::optional<u64> max_findings = {};
};

// The findings by cause: with their location, evidence and cause (in full where it first appears), or, where they are
// not shown in full, a line each for some and a count of the rest; cases that did not run; notes; the verdict as the
// last line. Findings that are waived have a line each.
std::string text_of(const Report& report, const TextOptions& options);

// One finding as it stands in the report, ending in a newline. cause_shown: the same cause stands in full above, and
// its evidence and advice are not repeated.
std::string text_of(const Finding& finding, const TextOptions& options, bool cause_shown = false);

// "found    2 errors, 1 warning in 3 cases  (machine, seed 1, 0.02 s)", ending in a newline.
std::string verdict_line(const Report& report, bool color);

}  // namespace ropewalk::reports
