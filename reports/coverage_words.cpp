#include "reports/coverage_words.h"

#include <fmt/format.h>

#include "lib/base/percent.h"

namespace ropewalk::reports {
namespace {

// "123 456 789": groups of three digits, parted by narrow no-break spaces.
std::string grouped(u64 number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "\u202f");
  return digits;
}

std::string share(u64 part, u64 whole) {
  if (part == whole) return fmt::format("all {}", grouped(whole));
  return fmt::format("{} of {} ({} %)", grouped(part), grouped(whole), percent_fixed(double(part) / double(whole), 1));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> coverage_rows(const Report& report) {
  const Summary& summary = report.summary;
  std::string cases = fmt::format("{}, {} without an error", grouped(summary.cases), grouped(summary.passed));
  if (summary.not_run) cases += fmt::format(", {} not run", grouped(summary.not_run));
  std::vector<std::pair<std::string, std::string>> rows = {{"cases", cases}};
  const Coverage& coverage = report.coverage;
  if (coverage.blocks_total) rows.emplace_back("thread blocks", share(coverage.blocks, coverage.blocks_total));
  if (coverage.thread_instructions) rows.emplace_back("instructions of threads", grouped(coverage.thread_instructions));
  if (!coverage.checks.empty()) rows.emplace_back("checks", fmt::format("{}", fmt::join(coverage.checks, ", ")));
  for (const CheckLeftOut& left : coverage.left_out) rows.emplace_back("not checked", left.check + ": " + left.reason);
  return rows;
}

CampaignTable campaign_table(const Report& report) {
  CampaignTable table;
  if (!report.campaign) return table;
  table.head = {"kernel", "cases", "pairs of values", "triples of values", "sides of branches"};
  for (const campaign::KernelCoverage& kernel : report.campaign->coverage) {
    std::vector<std::string> row = {kernel.kernel, grouped(kernel.cases), "", "",
                                    kernel.branches.empty() ? "" : share(kernel.sides(), 2 * kernel.branches.size())};
    for (const campaign::TupleCoverage& tuples : kernel.tuples) {
      if (tuples.strength < 2 || tuples.strength > 3 || tuples.possible == 0) continue;
      row[tuples.strength] = share(tuples.covered(), tuples.possible);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> campaign_lines(const Report& report) {
  std::vector<std::string> lines;
  if (!report.campaign) return lines;
  for (const campaign::KernelCoverage& one : report.campaign->coverage) {
    if (!one.cases) continue;
    std::string line = fmt::format("{}: {} cases", one.kernel, one.cases);
    for (const campaign::TupleCoverage& tuples : one.tuples) {
      line += fmt::format(", {} of {} {} of parameter values", tuples.covered(), tuples.possible,
                          tuples.strength == 2 ? "pairs" : "triples");
    }
    lines.push_back(line + fmt::format(", {} of {} sides of branches", one.sides(), 2 * one.branches.size()));
  }
  return lines;
}

}  // namespace ropewalk::reports
