#include "lib/finding/merge.h"

#include <gtest/gtest.h>

#include <set>

namespace ropewalk {
namespace {

Finding finding_at(u64 line, u32 block, u64 accesses, std::vector<i64> elements) {
  Finding finding;
  finding.kernel_entry = "f";
  finding.location = FindingLocation{};
  finding.location->file = "f.cu";
  finding.location->line = line;
  finding.thread = ThreadId{{block, 0, 0}, {0, 0, 0}};
  finding.occurrences = {accesses, accesses, 1, 1};
  finding.footprint = {"x", {8}, std::move(elements), true};
  identify(finding);
  return finding;
}

// One line may race in its block and with others: the second is what no barrier mends.
TEST(Merge, ARaceAcrossBlocksIsTheExample) {
  Finding within = finding_at(3, 0, 10, {1}), across = finding_at(3, 5, 2, {2});
  across.across_blocks = true;
  for (const auto& both : {std::vector{within, across}, std::vector{across, within}}) {
    const std::vector<Finding> merged = merged_in_case(both);
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_TRUE(merged[0].across_blocks);
    EXPECT_EQ(merged[0].occurrences.accesses, 12u);
  }
}

TEST(Merge, InstructionsOfOnePositionAreOneDefect) {
  const auto merged =
      merged_in_case({finding_at(3, 5, 10, {1, 2}), finding_at(4, 0, 1, {7}), finding_at(3, 2, 4, {2, 9})});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].location->line, 3u);
  EXPECT_EQ(merged[0].occurrences.accesses, 14u);
  EXPECT_EQ(merged[0].occurrences.threads, 10u);
  EXPECT_EQ(merged[0].occurrences.cases, 1u);
  EXPECT_EQ(merged[0].thread->block[0], 2u);
  EXPECT_EQ(merged[0].footprint.elements, (std::vector<i64>{1, 2, 9}));
}

TEST(Merge, OfAnElementTheLargerErrorCounts) {
  Finding one = finding_at(3, 2, 1, {1, 2}), other = finding_at(3, 5, 1, {2, 9});
  one.footprint.errors = {5, 6};
  other.footprint.errors = {7, 8};
  EXPECT_EQ(merged_in_case({one, other})[0].footprint.errors, (std::vector<float>{5, 7, 8}));
  other.footprint.errors.clear();
  EXPECT_TRUE(merged_in_case({one, other})[0].footprint.errors.empty());
}

TEST(Merge, OtherCasesAreCounted) {
  std::vector<Finding> findings;
  merge_case(findings, finding_at(3, 5, 10, {1}));
  merge_case(findings, finding_at(3, 2, 4, {2}));
  merge_case(findings, finding_at(9, 2, 4, {2}));
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].occurrences.accesses, 14u);
  EXPECT_EQ(findings[0].occurrences.threads, 14u);
  EXPECT_EQ(findings[0].occurrences.cases, 2u);
  EXPECT_EQ(findings[0].thread->block[0], 5u);
}

TEST(Merge, FindingsWithoutALocationDifferByTheirMessage) {
  Finding threads, grid;
  threads.message = "a block has 2048 threads, the limit is 1024";
  grid.message = "grid.y is 70000, the limit is 65535";
  identify(threads);
  identify(grid);
  EXPECT_EQ(merged_in_case({threads, grid, threads}).size(), 2u);
}

// One cause in an order of initialisation makes several events fail.
TEST(Merge, EventsOfAnOrderAreNotOneDefect) {
  Finding broadcast = finding_at(3, 0, 1, {});
  broadcast.rule = Rule::InitOrder;
  broadcast.message = "broadcast on rank 1 raises";
  broadcast.cause = Cause{"built-on-meta", "", {}, ""};
  Finding forward = broadcast;
  forward.message = "forward on rank 1 raises";
  EXPECT_FALSE(same_defect(broadcast, forward));
  EXPECT_TRUE(same_defect(broadcast, broadcast));
  forward.rule = broadcast.rule = Rule::GlobalRace;
  EXPECT_TRUE(same_defect(broadcast, forward));
}

TEST(Merge, OneLocationIsHitForSeveralCauses) {
  Finding wide = finding_at(3, 0, 1, {}), odd = wide, unknown = wide;
  wide.cause = Cause{"width-over-head-dim", "", {}, ""};
  odd.cause = Cause{"odd-rotary-dim", "", {}, ""};
  std::vector<Finding> all;
  for (const Finding& finding : {wide, odd, unknown, wide}) merge_case(all, Finding(finding));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].occurrences.cases, 2u);
}

TEST(Merge, TheFirstCaseIsTheExample) {
  Finding late = finding_at(3, 0, 5, {}), early = finding_at(3, 0, 7, {});
  late.case_number = 9;
  late.case_text = "late";
  early.case_number = 4;
  early.case_text = "early";
  std::vector<Finding> all;
  merge_case(all, Finding(late));
  merge_case(all, Finding(early));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].case_text, "early");
  EXPECT_EQ(all[0].occurrences.accesses, 12u);
}

// Findings of one location that differ in their causes.
std::vector<Finding> of_causes(const std::vector<std::string>& causes) {
  std::vector<Finding> findings;
  for (const std::string& cause : causes) {
    findings.push_back(finding_at(3, 0, 1, {1}));
    if (!cause.empty()) findings.back().cause = Cause{cause, "text", {}, ""};
  }
  return findings;
}

TEST(Merge, IdsOfOneReportAreUnique) {
  std::vector<Finding> findings = of_causes({"a", "b", "", "b"});
  const std::string id = findings[0].id;
  make_ids_unique(findings);
  std::set<std::string> ids;
  for (const Finding& finding : findings) {
    ids.insert(finding.id);
    EXPECT_EQ(defect_id(finding), id);
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(findings[0].id, id);
  EXPECT_EQ(findings[1].id, own_id(findings[1]));
  // Who else is there does not matter, and once more changes nothing.
  std::vector<Finding> others = of_causes({"c", "b"});
  make_ids_unique(others);
  EXPECT_EQ(others[1].id, findings[1].id);
  const std::string before = findings[3].id;
  make_ids_unique(findings);
  EXPECT_EQ(findings[3].id, before);
}

TEST(Merge, WhatHasAnIdOfItsOwnIsStillTheSameDefect) {
  std::vector<Finding> here = of_causes({"a", "b"}), there = of_causes({"b"});
  make_ids_unique(here);
  EXPECT_NE(here[1].id, there[0].id);
  EXPECT_TRUE(same_defect(here[1], there[0]));
}

}  // namespace
}  // namespace ropewalk
