// Campaigns from outside: who runs the cases changes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/program.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

using testing::Reported;
using testing::rope_check_report;
using testing::scratch;

constexpr const char* several =
    "fuzz faulty/rotary-apply-row-mask faulty/rotary-cache-unguarded faulty/rotary-qk-one-stride rotary/apply "
    "--budget 240 --seed 3 --quiet ";

// All of a report that tells of findings, finding by finding in a fixed order.
std::vector<std::string> findings_of(const Report& report) {
  std::vector<std::string> all;
  for (const Finding& one : report.findings) {
    all.push_back(fmt::format("{} {} {} {} | {} | {} cases, {} accesses | {} | {} | {}", one.id, name_of(one.rule),
                              one.kernel_name, one.location ? one.location->line : 0, one.message,
                              one.occurrences.cases, one.occurrences.accesses, one.cause ? one.cause->id : "no cause",
                              one.minimal_case, one.replay));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> coverage_of(const Report& report) {
  std::vector<std::string> all;
  for (const campaign::KernelCoverage& one : report.campaign->coverage) {
    all.push_back(fmt::format("{}: {} cases, {} sides", one.kernel, one.cases, one.sides()));
    for (const campaign::TupleCoverage& tuples : one.tuples) all.back() += fmt::format(", {} tuples", tuples.covered());
  }
  return all;
}

void expect_the_same(const Report& got, const Report& expected) {
  EXPECT_EQ(findings_of(got), findings_of(expected));
  EXPECT_EQ(coverage_of(got), coverage_of(expected));
  EXPECT_EQ(got.summary.cases, expected.summary.cases);
  EXPECT_EQ(got.summary.passed, expected.summary.passed);
  EXPECT_EQ(got.not_run.size(), 0u);
}

TEST(Campaigns, find_the_same_with_any_jobs_and_in_shards) {
  const Report one = rope_check_report(several + std::string("--jobs 1")).report;
  ASSERT_GT(one.findings.size(), 5u);
  expect_the_same(rope_check_report(several + std::string("--jobs 2")).report, one);
  std::string shards;
  for (int shard = 0; shard < 4; ++shard) {
    const std::string path = scratch(fmt::format("campaign-{}-of-4.json", shard));
    testing::rope_check(fmt::format("{} --jobs 2 --shard {}/4 --report '{}'", several, shard, path));
    shards = "'" + path + "' " + shards;  // in any order
  }
  expect_the_same(rope_check_report("merge " + shards).report, one);
}

// Whatever stands in the way of the corpus's files, what was found is reported.
TEST(Campaigns, outlive_a_corpus_that_cannot_be_written) {
  const Report whole = rope_check_report(several).report;
  const std::string corpus = scratch("corpus");
  std::filesystem::create_directories(corpus + "/campaign.state");
  const Reported found = rope_check_report(several + ("--corpus '" + corpus + "'"));
  EXPECT_EQ(findings_of(found.report), findings_of(whole));
  EXPECT_EQ(found.program.exit_code, 1);
  const std::string told = corpus + "/campaign.state: cannot write this file: it is a folder\n";
  EXPECT_TRUE(found.program.errors.ends_with(told)) << found.program.errors;
  ASSERT_EQ(found.report.not_run.size(), 1u);
  EXPECT_EQ(found.report.not_run[0].case_text, corpus);
  std::filesystem::remove_all(corpus);
}

}  // namespace
}  // namespace ropewalk::tools
