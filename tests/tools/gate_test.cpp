// What a gate in CI is built on: baselines, suppressions, merged reports, formats; the programs from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "reports/json.h"
#include "tests/tools/program.h"

namespace ropewalk::tools {
namespace {

using testing::ProgramResult;
using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;
using testing::written;

constexpr const char* founding_bug = "case faulty/rotary-apply-unguarded --rotary-dim 96 ";

std::set<std::string> ids_of(const reports::Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) ids.insert(finding.id);
  return ids;
}

TEST(Gate, KnownFindingsDoNotFail) {
  const std::string baseline = scratch("baseline.json");
  EXPECT_EQ(rope_check(founding_bug + ("--report " + baseline)).exit_code, 1);
  const Reported again = rope_check_report(founding_bug + ("--baseline " + baseline));
  EXPECT_EQ(again.program.exit_code, 0) << again.program.output;
  EXPECT_EQ(again.report.summary.verdict, reports::Verdict::Clean);
  for (const Finding& finding : again.report.findings) EXPECT_TRUE(finding.waiver) << finding.message;
  // Another width breaks other bounds at the same locations: these are known as well; another kernel is not.
  EXPECT_EQ(rope_check("case faulty/rotary-qk-unguarded --rotary-dim 96 --baseline " + baseline).exit_code, 1);
}

TEST(Gate, SuppressedFindingsDoNotFail) {
  const std::string file =
      written("all.json",
              "{\"schema\": \"ropewalk.suppressions/1\", \"suppressions\": [{\"kernel\": \"faulty/*\", \"reason\": "
              "\"seeded\"}, {\"rule\": \"hang\", \"reason\": \"none hangs\"}]}");
  const ProgramResult got = rope_check(founding_bug + ("--suppress " + file));
  EXPECT_EQ(got.exit_code, 0) << got.output;
  EXPECT_NE(got.output.find("seeded"), std::string::npos);
  EXPECT_NE(got.output.find("suppressions[1] (rule hang) fits no finding of this run"), std::string::npos);
}

TEST(Gate, UnreadableFilesAreReportedBeforeTheRun) {
  const std::string broken = written("half.json", "{\"schema\": \"ropewalk.report/1\",\n");
  for (const char* option : {"--baseline ", "--suppress ", "merge "}) {
    const bool is_merge = std::string(option) == "merge ";
    const ProgramResult got = rope_check(is_merge ? option + broken : founding_bug + (option + broken));
    EXPECT_EQ(got.exit_code, 2) << option;
    EXPECT_NE(got.errors.find(broken), std::string::npos) << got.errors;
    EXPECT_EQ(got.output, "") << option;
  }
}

TEST(Gate, MergeWritesOneReportInAnotherFormat) {
  const std::string json = scratch("one.json"), html = scratch("one.html"), other = scratch("one-more.html");
  rope_check(founding_bug + ("--report " + json + " --report " + html));
  EXPECT_EQ(rope_check("merge " + json + " --report " + other).exit_code, 1);
  const auto content = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  EXPECT_EQ(content(html), content(other));
  EXPECT_NE(content(html).find("<svg"), std::string::npos);
}

TEST(Gate, WithoutAFileTheFormatIsThatOfWhatIsPrinted) {
  const ProgramResult got = rope_check(founding_bug + std::string("--format github"));
  EXPECT_EQ(got.exit_code, 1);
  EXPECT_EQ(got.output.find("::error file=kernels/rotary/apply.cuh,line="), 0u) << got.output;
}

TEST(Gate, ShardsFindWhatTheWholeFinds) {
  const std::string campaign = "fuzz faulty/rotary-cache-unguarded --budget 60 --seed 5 --quiet ";
  const Reported whole = rope_check_report(campaign);
  std::string shards;
  for (const char* shard : {"0/2", "1/2"}) {
    const std::string path = scratch(std::string("shard-") + shard[0] + ".json");
    rope_check(campaign + "--shard " + shard + " --report " + path);
    ASSERT_TRUE(std::filesystem::exists(path));
    shards += path + " ";
  }
  const Reported merged = rope_check_report("merge " + shards);
  EXPECT_EQ(ids_of(merged.report), ids_of(whole.report));
  EXPECT_EQ(merged.report.summary.cases, whole.report.summary.cases);
  EXPECT_EQ(merged.report.summary.passed, whole.report.summary.passed);
  ASSERT_TRUE(merged.report.campaign && whole.report.campaign);
  const campaign::KernelCoverage &here = merged.report.campaign->coverage.at(0),
                                 &there = whole.report.campaign->coverage.at(0);
  ASSERT_EQ(here.tuples.size(), there.tuples.size());
  for (size_t n = 0; n < here.tuples.size(); ++n) EXPECT_EQ(here.tuples[n].covered(), there.tuples[n].covered());

  const Reported half = rope_check_report("merge " + scratch("shard-1.json"));
  ASSERT_EQ(half.report.not_run.size(), 1u);
  EXPECT_EQ(half.report.not_run[0].case_text, "shard 0 of 2");
  EXPECT_NE(half.program.exit_code, 0);
}

}  // namespace
}  // namespace ropewalk::tools
