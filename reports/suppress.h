// Suppressions: findings that somebody has decided to live with, each with a reason and, if wanted, an end.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

using Date = std::chrono::year_month_day;

// Fits a finding that fits all of its patterns (globs; empty: any).
struct Suppression {
  std::string rule;      // the rule's name
  std::string id;        // of the finding
  std::string kernel;    // the kernel's name or its entry
  std::string location;  // the file, or "file:line"
  std::string tensor;
  std::string reason;
  std::optional<Date> until;  // the last day that it counts
};

// Reads a suppression file, "ropewalk.suppressions/1":
//   {"schema": "ropewalk.suppressions/1",
//    "suppressions": [{"rule": "shared-race", "kernel": "old/*", "reason": "...", "until": "2027-01-31"}]}
// Throws InputError with file and field: unknown keys, a missing reason, none of the patterns, no such rule, a bad
// date.
std::vector<Suppression> read_suppressions(std::string_view text, const std::string& path);

// Waives what the suppressions fit. Notes tell which have expired (they count no more) and which fitted nothing.
// today: in UTC.
void suppress(Report& report, const std::vector<Suppression>& suppressions, const std::string& path, Date today);

// The day in UTC.
Date today_in_utc();

}  // namespace ropewalk::reports
