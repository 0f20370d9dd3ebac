#include "reports/baseline.h"

#include <gtest/gtest.h>

#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

Report with(std::vector<Finding> findings) {
  Report report;
  report.findings = std::move(findings);
  report.coverage.checks = {"bounds"};
  report.summary.cases = 1;
  return report;
}

Finding example(size_t n) { return testing::example_report().findings[n]; }

TEST(Baseline, KnownFindingsDoNotFail) {
  Report report = with({example(0), example(2)});
  waive_known(report, with({example(0), example(2)}), "old.json");
  conclude(report, true);
  EXPECT_EQ(report.summary.verdict, Verdict::Clean);
  ASSERT_TRUE(report.findings[0].waiver);
  EXPECT_EQ(report.findings[0].waiver->reason, "it is in old.json");
  EXPECT_TRUE(report.notes.empty());
}

TEST(Baseline, NewFindingsFail) {
  Report report = with({example(0), example(2)});
  waive_known(report, with({example(2)}), "old.json");
  conclude(report, false);
  EXPECT_EQ(report.summary.verdict, Verdict::Findings);
  EXPECT_FALSE(report.findings[0].waiver);
  EXPECT_TRUE(report.findings[1].waiver);
}

TEST(Baseline, AFindingThatMovedIsKnownOnce) {
  Finding moved = example(0);
  moved.location->line += 3;
  identify(moved);
  Finding again = moved;
  again.location->line += 3;
  identify(again);
  Report report = with({moved, again});
  waive_known(report, with({example(0)}), "old.json");
  ASSERT_TRUE(report.findings[0].waiver);
  EXPECT_EQ(report.findings[0].waiver->reason, "it is in old.json, at another line");
  EXPECT_FALSE(report.findings[1].waiver) << "one finding of the baseline waives one";
}

// A call of Python, an event of a plan.
TEST(Baseline, WhatStandsAtNoInstructionIsKnownByItsMessage) {
  Finding known = example(0);
  known.location->instruction.clear();
  identify(known);
  for (const bool is_same : {true, false}) {
    Finding moved = known;
    moved.location->line += 3;
    if (!is_same) moved.message += " for another reason";
    identify(moved);
    Report report = with({moved});
    waive_known(report, with({known}), "old.json");
    EXPECT_EQ(report.findings[0].waiver.has_value(), is_same);
  }
}

// Without source lines the PTX file tells kernels of one name apart.
TEST(Baseline, AFindingOfAnotherPtxFileIsNew) {
  Finding known = example(0);
  known.location->file.clear();
  known.location->ptx_file = "a/k.ptx";
  identify(known);
  Finding other = known;
  other.location->ptx_file = "b/k.ptx";
  identify(other);
  EXPECT_NE(known.id, other.id);
  Report report = with({other});
  waive_known(report, with({known}), "old.json");
  EXPECT_FALSE(report.findings[0].waiver);
  other.location->ptx_file = known.location->ptx_file;
  other.location->ptx_line += 3;
  identify(other);
  report = with({other});
  waive_known(report, with({known}), "old.json");
  EXPECT_TRUE(report.findings[0].waiver);
}

TEST(Baseline, AnotherInstructionTensorOrRuleIsNew) {
  for (const int change : {0, 1, 2, 3}) {
    Finding other = example(0);
    other.location->line += 3;
    if (change == 0) other.location->instruction = "st.global.b16 [%rd9], %rs5";
    if (change == 1) other.access->tensor = "x";
    if (change == 2) other.rule = Rule::OutOfBoundsRead;
    if (change == 3) other.location->file = "other.cu";
    identify(other);
    Report report = with({other});
    waive_known(report, with({example(0)}), "old.json");
    EXPECT_FALSE(report.findings[0].waiver) << change;
  }
}

TEST(Baseline, TellsWhatIsGone) {
  Report report = with({});
  waive_known(report, with({example(0), example(2)}), "old.json");
  EXPECT_EQ(report.notes, std::vector<std::string>{"2 findings of the baseline old.json were not seen again"});
}

}  // namespace
}  // namespace ropewalk::reports
