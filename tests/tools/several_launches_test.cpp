// Several launch files in one run: what is wrong with one hides nothing of the others; and what was checked is
// reported.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/tools/program.h"

namespace ropewalk::tools {

using reports::Report;

namespace {

namespace fs = std::filesystem;

using testing::ProgramResult;
using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;
using testing::written;

constexpr const char* faulty = "tests/tools/launches/gather_past_the_end.json ";
constexpr const char* healthy = "tests/tools/launches/gather.json ";

size_t lines_in(const std::string& text) { return size_t(std::count(text.begin(), text.end(), '\n')); }

TEST(SeveralLaunches, ABadFileHidesNothing) {
  const std::string broken = written("broken.json", "{\n  \"schema\": nonsense\n}\n");
  const Reported found = rope_check_report("launch " + broken + " " + faulty + "/no/such.json " + healthy);
  // Findings are the first thing to know; the report says what was not run, and the last lines what is wrong with it.
  EXPECT_EQ(found.program.exit_code, 1);
  EXPECT_EQ(found.report.summary.cases, 4u);
  EXPECT_EQ(found.report.summary.passed, 1u);
  EXPECT_EQ(found.report.findings.size(), 1u);
  ASSERT_EQ(found.report.not_run.size(), 2u);
  EXPECT_EQ(lines_in(found.program.errors), 2u) << found.program.errors;
  EXPECT_TRUE(found.program.errors.starts_with("rope-check: error: " + broken + ":2:")) << found.program.errors;
  EXPECT_NE(found.program.errors.find("/no/such.json: cannot be opened"), std::string::npos);
}

TEST(SeveralLaunches, WithoutFindingsABadFileIsBadInput) {
  const ProgramResult got = rope_check(std::string("launch /no/such.json ") + healthy);
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.output.find("not run: /no/such.json"), std::string::npos) << got.output;
  EXPECT_EQ(lines_in(got.errors), 1u) << got.errors;
  const ProgramResult alone = rope_check("launch /no/such.json");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.output, "");
}

TEST(SeveralLaunches, AFolderStandsForItsLaunchFiles) {
  const std::string folder = fs::path(written("folder/expected.json", "{\"a\": 1}\n")).parent_path().string();
  for (const char* name : {"gather.json", "gather_past_the_end.json", "kernels.ptx"}) {
    fs::copy_file(fs::path(ROPEWALK_SOURCE_DIR "/tests/tools/launches") / name, folder + "/" + name,
                  fs::copy_options::overwrite_existing);
  }
  const Reported got = rope_check_report(std::string("launch ") + folder);
  EXPECT_EQ(got.program.exit_code, 1);
  EXPECT_EQ(got.report.summary.cases, 2u);
  EXPECT_NE(got.program.output.find("passed over, no launch files: expected.json"), std::string::npos);
  const ProgramResult none = rope_check("launch docs");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("docs: there is no launch file in this folder"), std::string::npos) << none.errors;
}

TEST(SeveralLaunches, EachThatHasAFindingIsNamed) {
  const std::string folder = fs::path(written("alike/none.txt", "")).parent_path().string();
  const fs::path launches = ROPEWALK_SOURCE_DIR "/tests/tools/launches";
  const auto again = fs::copy_options::overwrite_existing;
  fs::copy_file(launches / "kernels.ptx", folder + "/kernels.ptx", again);
  for (const char* name : {"a.json", "b.json"})
    fs::copy_file(launches / "gather_past_the_end.json", folder + "/" + name, again);
  const Reported got = rope_check_report("launch " + folder + "/a.json " + folder + "/b.json");
  ASSERT_EQ(got.report.findings.size(), 1u);
  EXPECT_EQ(got.report.findings[0].occurrences.cases, 2u);
  const std::string second = folder + "/b.json", line = "also in " + second + ": rope-check launch " + second;
  EXPECT_EQ(std::ranges::count(got.report.findings[0].evidence, line), 1) << got.program.output;
}

TEST(SeveralLaunches, StandardInputIsALaunchFile) {
  const std::string text = "sed 's#kernels.ptx#tests/tools/launches/kernels.ptx#' " + std::string(faulty);
  const ProgramResult got = rope_check("launch - < \"$(f=$(mktemp); " + text + " > $f; echo $f)\"");
  EXPECT_EQ(got.exit_code, 1) << got.errors;
  EXPECT_NE(got.output.find("table[8, 0]"), std::string::npos) << got.output;
  EXPECT_EQ(rope_check("launch - - < /dev/null").exit_code, 2);
  EXPECT_EQ(rope_check("launch - < /dev/null").exit_code, 2);
}

TEST(SeveralLaunches, APipeIsWaitedForByNobody) {
  const std::string pipe = scratch("pipe-without-writer");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& command : {"launch " + pipe, "launch " + std::string(healthy) + "--baseline " + pipe,
                                     "cache " + pipe, "init " + pipe, "merge " + pipe}) {
    const ProgramResult got = rope_check(command);
    EXPECT_EQ(got.exit_code, 2) << command;
    EXPECT_NE(got.errors.find("is a pipe; expected a file"), std::string::npos) << command << ": " << got.errors;
  }
  const ProgramResult unread = rope_check("launch " + std::string(healthy) + "--format json --report " + pipe);
  EXPECT_EQ(unread.exit_code, 2);
  EXPECT_NE(unread.errors.find("it is a pipe that nobody reads"), std::string::npos) << unread.errors;
}

TEST(SeveralLaunches, OutputsThatCannotBeSavedCostNoFinding) {
  const std::string folder = scratch("unsaved-outputs");
  fs::create_directories(folder + "/out.npy");  // a folder where a file should be
  const Reported got = rope_check_report(std::string("launch ") + faulty + "--save-outputs " + folder);
  EXPECT_EQ(got.program.exit_code, 1);
  EXPECT_EQ(got.report.findings.size(), 1u);
  EXPECT_NE(got.program.errors.find("its outputs are not saved"), std::string::npos) << got.program.errors;
}

// Four blocks write 7 + n x `step` to one element.
std::string race_of(u32 step) {
  written("same.ptx",
          ".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry same(.param .u64 out, .param .u32 step)\n{\n.reg .u64 %rd<2>;\n.reg .u32 %r<4>;\n"
          "ld.param.u64 %rd1, [out];\nld.param.u32 %r2, [step];\nmov.u32 %r3, %ctaid.x;\n"
          "mad.lo.u32 %r1, %r3, %r2, 7;\nst.global.u32 [%rd1], %r1;\nret;\n}\n");
  return written(
      "same" + std::to_string(step) + ".json",
      "{\"schema\": \"ropewalk.launch/1\", \"ptx\": \"same.ptx\", \"entry\": \"same\", \"grid\": [4], \"block\": [1], "
      "\"tensors\": {\"out\": {\"dtype\": \"u32\", \"shape\": [1], \"output\": true}}, "
      "\"args\": [{\"tensor\": \"out\"}, {\"u32\": " +
          std::to_string(step) + "}]}");
}

TEST(SeveralLaunches, StrictSaysWhetherTheValuesDiffer) {
  EXPECT_EQ(rope_check("launch " + race_of(0)).exit_code, 0);
  const ProgramResult same = rope_check("launch --strict " + race_of(0)),
                      other = rope_check("launch --strict " + race_of(1));
  EXPECT_NE(same.output.find("both write, the same value"), std::string::npos) << same.output;
  EXPECT_NE(other.output.find("both write, different values"), std::string::npos) << other.output;
}

TEST(SeveralLaunches, CoverageIsWhatWasDone) {
  const auto left_out = [](const Report& report, const std::string& check) {
    for (const reports::CheckLeftOut& one : report.coverage.left_out) {
      if (one.check == check) return one.reason;
    }
    return std::string("made");
  };
  const Report one = rope_check_report(std::string("launch ") + healthy + "--checks all,-races").report;
  EXPECT_EQ(left_out(one, "races"), "left out by --checks");
  EXPECT_EQ(left_out(one, "fields"), "no tensor has regions");
  EXPECT_EQ(left_out(one, "bounds"), "made");
  EXPECT_EQ(left_out(one, "outputs"), "made");
  const Report written_alone = rope_check_report("launch tests/tools/launches/count.json").report;
  EXPECT_EQ(left_out(written_alone, "outputs"), "values are not compared: nothing is expected");
  const std::vector<std::string>& made = one.coverage.checks;
  EXPECT_EQ(std::count(made.begin(), made.end(), "races") + std::count(made.begin(), made.end(), "fields"), 0);
  EXPECT_EQ(std::count(made.begin(), made.end(), "bounds"), 1);
  const Report both =
      rope_check_report(std::string("launch ") + healthy + "tests/tools/launches/normalise.json").report;
  EXPECT_EQ(left_out(both, "nonfinite"), "no tensor must be finite, in 1 of 2 cases");
  const Report none = rope_check_report(std::string("launch ") + healthy + "--executor gpu").report;
  if (!none.not_run.empty()) {
    EXPECT_TRUE(none.coverage.checks.empty());
  }
  const Report cache = rope_check_report("cache tests/data/rope/rank0.npy tests/data/rope/rank1.npy").report;
  EXPECT_EQ(cache.coverage.checks, (std::vector<std::string>{"formula", "ranks"}));
}

}  // namespace
}  // namespace ropewalk::tools
