#include "reports/report.h"

#include <gtest/gtest.h>

namespace ropewalk::reports {
namespace {

Report with(std::vector<Severity> severities, u64 passed, u64 not_run) {
  Report report;
  for (const Severity severity : severities) report.findings.emplace_back().severity = severity;
  report.coverage.checks = {"bounds"};
  report.summary.passed = passed;
  report.not_run.resize(not_run);
  return report;
}

Verdict verdict_of(Report report, bool strict = false) {
  conclude(report, strict);
  return report.summary.verdict;
}

TEST(Report, VerdictFollowsFindings) {
  EXPECT_EQ(verdict_of(with({}, 1, 0)), Verdict::Clean);
  EXPECT_EQ(verdict_of(with({Severity::Error}, 0, 0)), Verdict::Findings);
  EXPECT_EQ(verdict_of(with({Severity::Error}, 0, 1)), Verdict::Findings);
}

TEST(Report, WarningsFailOnlyWhenStrict) {
  EXPECT_EQ(verdict_of(with({Severity::Warning}, 1, 0)), Verdict::Clean);
  EXPECT_EQ(verdict_of(with({Severity::Warning}, 1, 0), true), Verdict::Findings);
  EXPECT_EQ(verdict_of(with({Severity::Note}, 1, 0), true), Verdict::Clean);
}

TEST(Report, NothingRunIsNeverClean) {
  EXPECT_EQ(verdict_of(with({}, 0, 0)), Verdict::NotRun);
  EXPECT_EQ(verdict_of(with({}, 0, 1)), Verdict::NotRun);
  EXPECT_EQ(verdict_of(with({}, 5, 1)), Verdict::NotRun);
  EXPECT_EQ(verdict_of(with({Severity::Warning}, 1, 1)), Verdict::NotRun);
  Report unchecked = with({Severity::Note}, 1, 0);
  unchecked.coverage.checks.clear();
  EXPECT_EQ(verdict_of(unchecked), Verdict::NotRun);
}

TEST(Report, CountsAreFilledIn) {
  Report report = with({Severity::Error, Severity::Warning}, 0, 3);
  conclude(report, false);
  EXPECT_EQ(report.summary.findings, 2u);
  EXPECT_EQ(report.summary.not_run, 3u);
}

TEST(Report, VerdictsHaveNames) {
  for (const Verdict verdict : {Verdict::Clean, Verdict::Findings, Verdict::NotRun}) {
    EXPECT_EQ(verdict_named(name_of(verdict)), verdict);
  }
  EXPECT_EQ(verdict_named("fine"), std::nullopt);
}

}  // namespace
}  // namespace ropewalk::reports
