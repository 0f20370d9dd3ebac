// What was looked at, as rows of a table.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/report.h"

namespace ropewalk::reports {

// "cases" | "5, 3 without an error, 1 not run": what was asked for, run and executed, and the checks that were on.
std::vector<std::pair<std::string, std::string>> coverage_rows(const Report& report);

// The table of a campaign: a heading for each column, then a row for each kernel. No rows where it was no campaign.
struct CampaignTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
CampaignTable campaign_table(const Report& report);

// The same as sentences: "rotary/apply: 100 cases, 1501 of 1658 pairs of parameter values, ...".
std::vector<std::string> campaign_lines(const Report& report);

}  // namespace ropewalk::reports
