#include "reports/merge.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "reports/json.h"
#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

// A shard with a finding of the example, and a kernel of which it has seen the pairs `seen`.
ReportFile shard(u64 index, u64 count, size_t finding, const std::string& minimal, std::vector<bool> seen) {
  Report report;
  report.tool = "rope-check";
  report.executor = "machine";
  report.seed = 7;
  report.duration_s = 1.5;
  report.summary.cases = 10;
  report.summary.passed = 9;
  report.coverage = {5, 6, 7, {"bounds", index % 2 ? "races" : "lanes"}};
  report.findings = {testing::example_report().findings[finding]};
  report.findings[0].minimal_case = minimal;
  campaign::Record campaign;
  campaign.kernels = {"rotary/apply"};
  campaign.budget = "40";
  campaign.shard_index = index;
  campaign.shard_count = count;
  campaign::KernelCoverage coverage;
  coverage.kernel = "rotary/apply";
  coverage.cases = 10;
  coverage.tuples.push_back({2, seen.size(), seen});
  campaign.coverage = {coverage};
  report.campaign = campaign;
  conclude(report, false);
  return {"shard-" + std::to_string(index) + ".json", report};
}

std::string error_of(std::vector<ReportFile> files) {
  try {
    merged(std::move(files));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MergeReports, OneReportStaysAsItIs) {
  const Report report = testing::example_report();
  EXPECT_EQ(json_of(merged({{"a.json", report}})), json_of(report));
}

TEST(MergeReports, CountsAreAddedAndFindingsUnited) {
  const Report got =
      merged({shard(0, 2, 0, "rotary(T=9)", {true, false, false}), shard(1, 2, 0, "rotary(T=8)", {true, true, false})});
  EXPECT_EQ(got.summary.cases, 20u);
  EXPECT_EQ(got.summary.passed, 18u);
  EXPECT_EQ(got.duration_s, 3);
  EXPECT_EQ(got.coverage.blocks, 10u);
  EXPECT_EQ(got.coverage.checks, std::vector<std::string>{"bounds"});
  ASSERT_EQ(got.findings.size(), 1u);
  EXPECT_EQ(got.findings[0].occurrences.accesses, 896u);
  EXPECT_EQ(got.findings[0].occurrences.cases, 2u);
  EXPECT_EQ(got.findings[0].minimal_case, "rotary(T=8)");
  EXPECT_TRUE(got.not_run.empty());
  EXPECT_EQ(got.campaign->shard_count, 1u);
  ASSERT_EQ(got.campaign->coverage.size(), 1u);
  EXPECT_EQ(got.campaign->coverage[0].tuples[0].covered(), 2u);
  EXPECT_EQ(got.campaign->coverage[0].cases, 20u);
}

TEST(MergeReports, TheOrderOfFilesDoesNotMatter) {
  const ReportFile a = shard(0, 3, 0, "rotary(T=9)", {true, false}), b = shard(1, 3, 2, "", {false, true}),
                   c = shard(2, 3, 0, "rotary(T=2,D=8)", {false, false});
  EXPECT_EQ(json_of(merged({a, b, c})), json_of(merged({c, a, b})));
}

TEST(MergeReports, AMissingShardIsNamedAndNeverClean) {
  ReportFile one = shard(1, 4, 0, "", {true}), three = shard(3, 4, 0, "", {true});
  one.report.findings.clear();
  three.report.findings.clear();
  const Report got = merged({one, three});
  EXPECT_EQ(got.summary.verdict, Verdict::NotRun);
  ASSERT_EQ(got.not_run.size(), 2u);
  EXPECT_EQ(got.not_run[0].case_text, "shard 0 of 4");
  EXPECT_EQ(got.not_run[1].case_text, "shard 2 of 4");
  EXPECT_EQ(got.not_run[0].reason, "there is no report of this shard: it died, or it has not ended");
}

TEST(MergeReports, APartialMergeIsMergedWithTheRest) {
  const auto part = [](u64 index) { return shard(index, 3, 0, "rotary(T=9)", {true, false}); };
  const ReportFile partial{"partial.json", merged({part(0), part(1)})};
  EXPECT_EQ(merged({partial}).not_run.size(), 1u);
  const Report whole = merged({partial, part(2)});
  EXPECT_TRUE(whole.not_run.empty());
  EXPECT_EQ(whole.summary.cases, 30u);
  EXPECT_EQ(error_of({partial, part(1)}), "shard-1.json: this is shard 1 of 3, as is partial.json; each counts once");
}

TEST(MergeReports, AStoppedShardIsNamedAndNeverClean) {
  ReportFile stopped = shard(0, 2, 0, "", {true}), whole = shard(1, 2, 0, "", {true});
  stopped.report.findings.clear();
  whole.report.findings.clear();
  stopped.report.campaign->stopped = true;
  const Report got = merged({stopped, whole});
  EXPECT_EQ(got.summary.verdict, Verdict::NotRun);
  ASSERT_EQ(got.not_run.size(), 1u);
  EXPECT_EQ(got.not_run[0].case_text, "shard 0 of 2");
}

TEST(MergeReports, AStoppedCampaignIsReported) {
  ReportFile stopped = shard(0, 1, 0, "", {true});
  stopped.report.findings.clear();
  stopped.report.campaign->stopped = true;
  const Report got = merged({stopped});
  EXPECT_TRUE(got.campaign->stopped);
  ASSERT_EQ(got.not_run.size(), 1u);
  EXPECT_EQ(got.not_run[0].case_text, "the campaign");
  EXPECT_EQ(got.summary.verdict, Verdict::NotRun);
}

TEST(MergeReports, ShardsOfDifferentCampaignsAreRefused) {
  const ReportFile first = shard(0, 2, 0, "", {true});
  EXPECT_EQ(error_of({first, shard(1, 3, 0, "", {true})}),
            "shard-1.json: this is no shard of the same campaign as shard-0.json: 2 shards there, 3 here");
  ReportFile other = shard(1, 2, 0, "", {true});
  other.report.seed = 8;
  EXPECT_NE(error_of({first, other}).find("seed 7 there, 8 here"), std::string::npos);
  other = shard(1, 2, 0, "", {true});
  other.report.campaign->kernels = {"rotary/qk"};
  EXPECT_NE(error_of({first, other}).find("kernels rotary/apply there, rotary/qk here"), std::string::npos);
  EXPECT_EQ(error_of({first, first}), "shard-0.json: this is shard 0 of 2, as is shard-0.json; each counts once");
  EXPECT_EQ(error_of({}), "there is no report to merge");
}

TEST(MergeReports, AShardAndTheWholeWouldCountTwice) {
  ReportFile whole = shard(0, 1, 0, "", {true}), part = shard(1, 2, 0, "", {true});
  whole.path = "whole.json";
  EXPECT_EQ(error_of({part, whole}), error_of({whole, part}));
  EXPECT_EQ(error_of({whole, part}),
            "shard-1.json: its cases are also in whole.json: both draw them with seed 7, and merged they would count "
            "twice; merge the shards of a campaign or the whole of it, not both");
  ReportFile again = whole;
  again.path = "again.json";
  again.report.campaign->budget = "80";
  EXPECT_NE(error_of({whole, again}).find("again.json: its cases are also in whole.json"), std::string::npos);
  // Another seed, other options, another executor and another kernel draw or show other cases.
  for (const auto& change : std::initializer_list<void (*)(Report&)>{
           [](Report& report) { report.seed = 8; }, [](Report& report) { report.executor = "gpu"; },
           [](Report& report) { report.campaign->options = "--fp-contract"; },
           [](Report& report) {
             report.campaign->kernels = {"rotary/qk"};
             report.campaign->coverage[0].kernel = "rotary/qk";
           }}) {
    ReportFile other = again;
    change(other.report);
    EXPECT_EQ(error_of({whole, other}), "no error");
  }
}

TEST(MergeReports, OneReportTwiceIsRefused) {
  const Report report = testing::example_report();
  EXPECT_EQ(error_of({{"a.json", report}, {"b.json", report}}),
            "b.json: this is the same report as a.json; each counts once");
}

// Also after the merge was written and read again.
TEST(MergeReports, AReportThatIsInAMergeAlreadyIsRefused) {
  ReportFile a{"a.json", testing::example_report()}, b = a, c = a;
  b.path = "b.json", b.report.command += " --seed 2";
  c.path = "c.json", c.report.command += " --seed 3";
  const ReportFile both{"m.json", parse_json_report(json_of(merged({a, b})), "m.json")};
  const std::string refused =
      "it and m.json have a report in common that was merged into one of them; each counts once";
  EXPECT_EQ(error_of({both, a}), "a.json: " + refused);
  EXPECT_EQ(error_of({both, {"n.json", merged({b, c})}}), "n.json: " + refused);
  EXPECT_EQ(error_of({both, c}), "no error");
  EXPECT_EQ(merged({both, c}).summary.cases, 3 * a.report.summary.cases);
}

}  // namespace
}  // namespace ropewalk::reports
