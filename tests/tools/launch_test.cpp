// rope-check launch on the launch files in tests/tools/launches: every faulty one with what must be found, every
// healthy one silent.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/tensor/npy.h"
#include "tests/tools/program.h"

namespace ropewalk::tools {
namespace {

using testing::ProgramResult;
using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;

const std::string folder = "tests/tools/launches/";

// What must be reported of a launch, and nothing else.
struct Expected {
  const char* launch;
  const char* rule = "";  // empty: silence
  const char* tensor = "";
  u64 line = 0;                 // of kernels.cu; 0: any
  std::vector<i64> index = {};  // empty: any
  std::optional<i64> past_end = {}, before_start = {};
  const char* also = "";   // another rule that follows from the first
  const char* cause = "";  // empty: the evidence is for none
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.launch; }

class LaunchFile : public ::testing::TestWithParam<Expected> {};

TEST_P(LaunchFile, GivesItsFinding) {
  const Expected& expected = GetParam();
  const std::string rule = expected.rule;
  const Reported got = rope_check_report("launch " + folder + expected.launch + ".json --budget 2s");
  EXPECT_EQ(got.program.exit_code, rule.empty() ? 0 : 1) << got.program.output << got.program.errors;
  EXPECT_EQ(got.program.errors, "");
  if (rule.empty()) {
    EXPECT_TRUE(got.report.findings.empty()) << got.program.output;
    EXPECT_EQ(got.report.summary.passed, 1u);
    return;
  }
  ASSERT_FALSE(got.report.findings.empty()) << got.program.output;
  const Finding* match = nullptr;
  for (const Finding& finding : got.report.findings) {
    const std::string tensor = finding.access ? finding.access->tensor : "";
    if (!match && name_of(finding.rule) == rule && tensor == expected.tensor) match = &finding;
  }
  ASSERT_NE(match, nullptr) << got.program.output;
  if (expected.line) {
    ASSERT_TRUE(match->location);
    EXPECT_EQ(match->location->file, folder + "kernels.cu");
    EXPECT_EQ(match->location->line, expected.line);
  }
  if (!expected.index.empty()) {
    EXPECT_EQ(match->access->index, expected.index);
  }
  EXPECT_EQ(match->access ? match->access->bytes_past_end : std::nullopt, expected.past_end);
  EXPECT_EQ(match->access ? match->access->bytes_before_start : std::nullopt, expected.before_start);
  EXPECT_EQ(match->cause ? match->cause->id : "", expected.cause) << got.program.output;
  EXPECT_EQ(match->id.size(), 8u);
  EXPECT_EQ(match->replay, "rope-check launch " + folder + expected.launch + ".json");
  for (const Finding& finding : got.report.findings) {
    EXPECT_TRUE(name_of(finding.rule) == rule || name_of(finding.rule) == expected.also) << got.program.output;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LaunchFile,
    ::testing::Values(
        Expected{"gather"}, Expected{"gather_past_the_end", "out-of-bounds-read", "table", 16, {8, 0}, 0},
        Expected{"gather_before_the_start", "out-of-bounds-read", "table", 16, {-1, 0}, {}, 64},
        Expected{"gather_skipped_row", "output-not-written", "out", 0, {}, {}, {}, "", "rows-skipped"},
        Expected{"reverse"},
        Expected{"reverse_race",
                 "shared-race",
                 "_ZZ28reverse_parts_unsynchronisedE4part",
                 33,
                 {},
                 {},
                 {},
                 "",
                 "missing-barrier"},
        Expected{"normalise"}, Expected{"normalise_zero_row", "nonfinite-origin", "out", 42}, Expected{"count"},
        Expected{"count_forever", "hang", "", 49}, Expected{"mark"},
        Expected{"mark_overflow",
                 "out-of-bounds-write",
                 "out",
                 54,
                 {-46926, 32704},
                 {},
                 1877007296,
                 "index-overflow",
                 "int32-overflow"},
        Expected{"columns"},
        Expected{"columns_of_the_next_head", "index-out-of-field", "x", 65, {}, {}, {}, "", "width-over-head-dim"},
        Expected{"too_many_threads", "launch-limit", "", 0, {}, {}, {}, "", "grid-limit"}),
    [](const auto& info) { return std::string(info.param.launch); });

TEST(Launch, OutputsAreSaved) {
  const std::string into = scratch("outputs");
  EXPECT_EQ(rope_check("launch " + folder + "reverse.json --save-outputs '" + into + "'").exit_code, 0);
  const Array out = read_npy_file(into + "/out.npy");
  EXPECT_EQ(out.shape, Shape{256});
  EXPECT_EQ(out.at(0), 127);
  EXPECT_EQ(out.at(255), 128);
  EXPECT_FALSE(std::filesystem::exists(into + "/x.npy"));
}

TEST(Launch, OutputsOfTheSameNameAreRefused) {
  const auto got = rope_check("launch " + folder + "reverse.json " + folder + "gather.json --save-outputs '" +
                              scratch("same") + "'");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.errors.find("both have an output \"out\""), std::string::npos) << got.errors;
}

TEST(Launch, AReportDoesNotTakeThePlaceOfAnInput) {
  const std::string path = scratch("kept.json");
  std::ofstream(path) << "{}";
  const ProgramResult result = rope_check("launch '" + path + "' --report '" + path + "'");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("is an input of this command"), std::string::npos) << result.errors;
  EXPECT_EQ(std::filesystem::file_size(path), 2u);
}

TEST(Launch, ACorpusThatCannotBeMadeIsOneLine) {
  for (const std::string& folder : {std::string("README.md/x"), std::string(300, 'x')}) {
    const ProgramResult result = rope_check("fuzz rotary/apply --budget 1 --corpus " + folder);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find("corpus: "), std::string::npos) << result.errors;
  }
}

TEST(Launch, SeveralFilesAreOneReport) {
  const Reported got = rope_check_report("launch " + folder + "gather.json " + folder + "reverse_race.json " + folder +
                                         "gather_past_the_end.json --jobs 2");
  EXPECT_EQ(got.program.exit_code, 1);
  EXPECT_EQ(got.report.summary.cases, 3u);
  EXPECT_EQ(got.report.summary.passed, 1u);
  ASSERT_GE(got.report.findings.size(), 2u);
  EXPECT_EQ(got.report.findings.front().case_text, folder + "reverse_race.json");
  EXPECT_EQ(got.report.findings.back().case_text, folder + "gather_past_the_end.json");
}

TEST(Launch, TheSameFindingOfTwoCasesIsCounted) {
  const std::string file = folder + "gather_past_the_end.json";
  const Reported once = rope_check_report("launch " + file);
  const Reported twice = rope_check_report("launch " + file + " " + file);
  ASSERT_FALSE(once.report.findings.empty());
  ASSERT_EQ(twice.report.findings.size(), once.report.findings.size());
  EXPECT_EQ(twice.report.findings[0].occurrences.cases, 2u);
  EXPECT_EQ(twice.report.findings[0].occurrences.accesses, 2 * once.report.findings[0].occurrences.accesses);
}

TEST(Launch, ChecksThatAreOffSayNothing) {
  const std::string file = folder + "columns_of_the_next_head.json";
  EXPECT_EQ(rope_check("launch " + file + " --checks all,-index").exit_code, 0);
  EXPECT_EQ(rope_check("launch " + folder + "gather_skipped_row.json --checks bounds").exit_code, 0);
}

TEST(Launch, TheReportDoesNotDependOnTheJobs) {
  const auto text_with = [&](const char* jobs) {
    return rope_check("launch " + folder + "gather_past_the_end.json --jobs " + jobs).output;
  };
  const auto without_time = [](std::string text) { return text.substr(0, text.rfind(", ")); };
  EXPECT_EQ(without_time(text_with("1")), without_time(text_with("4")));
}

TEST(Launch, ABudgetOfCasesLeavesTheRestNotRun) {
  const Reported got = rope_check_report("launch " + folder + "gather.json " + folder + "reverse.json --budget 1");
  EXPECT_EQ(got.program.exit_code, 3);
  EXPECT_EQ(got.report.summary.passed, 1u);
  ASSERT_EQ(got.report.not_run.size(), 1u);
  EXPECT_EQ(got.report.not_run[0].reason, "the budget of cases was spent");
}

TEST(Launch, WhereItRunsIsNotedByTheMachine) {
  const Reported got = rope_check_report("launch " + folder + "gather_on_another_device.json");
  EXPECT_EQ(got.program.exit_code, 0);
  EXPECT_EQ(got.report.notes, (std::vector<std::string>{
                                  "the machine has one memory: the device and the stream of a launch are not looked "
                                  "at"}));
  EXPECT_TRUE(rope_check_report("launch " + folder + "gather_values.json").report.notes.empty());
}

TEST(Launch, ASmallOneIsQuick) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take their time";
#endif
  double best = 1;
  for (int n = 0; n < 10; ++n) best = std::min(best, rope_check("launch " + folder + "gather.json").seconds);
  EXPECT_LT(best, 0.05);
}

}  // namespace
}  // namespace ropewalk::tools
