// The program from outside: what it says and how it ends.
#include "tests/tools/program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "lib/finding/rule.h"

namespace ropewalk::tools {
namespace {

using testing::ProgramResult;
using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;
using testing::written;

// Bad usage is one line on standard error, nothing on standard output, and exit code 2.
void expect_refusal(const std::string& arguments, const std::string& message) {
  const ProgramResult got = rope_check(arguments);
  EXPECT_EQ(got.exit_code, 2) << arguments;
  EXPECT_EQ(got.output, "") << arguments;
  EXPECT_EQ(got.errors, "rope-check: error: " + message + "\n") << arguments;
}

TEST(Program, WrongUsageIsOneLine) {
  expect_refusal("case --shap 1,2,3,4", "case: unknown option --shap; did you mean \"--shape\"?");
  expect_refusal("case --rotary_dim=3", "case: unknown option --rotary_dim; did you mean \"--rotary-dim\"?");
  expect_refusal("cas", "unknown command \"cas\"; did you mean \"case\"?");
  expect_refusal("trace --kep 3 -- program", "trace: unknown option --kep; did you mean \"--keep\"?");
  expect_refusal("run", "run: a program is missing; usage: rope-check run [OPTIONS] -- COMMAND ARGUMENTS...");
  expect_refusal("run --target sm_70 -- true", "--target: \"sm_70\" is not known; did you mean \"sm_80\"?");
  expect_refusal("run --devices 17 -- true", "--devices: expected at most 16, found 17");
  expect_refusal("run --memory 1Q -- true", "--memory: expected a number of bytes such as 512M or 16G, found \"1Q\"");
  expect_refusal("run --error-exitcode 256 -- true", "--error-exitcode: expected at most 255, found 256");
  expect_refusal("run -- /no/such/program", "run: /no/such/program cannot be run: No such file or directory");
  expect_refusal("case rotary/apply and more", "case: did not expect the argument \"and\"");
  expect_refusal("--seed 1 case",
                 "unknown option --seed before the command; options follow it: rope-check COMMAND [OPTIONS]");
  expect_refusal("case --shape 1,2,3", "--shape: expected four integers B,T,H,D, found \"1,2,3\"");
  expect_refusal("case --seed", "--seed: a value is missing");
  expect_refusal("cache --head-dim= FILE", "--head-dim: a value is missing");
  expect_refusal("case --checks ''", "--checks: a value is missing");
  expect_refusal("atlas 7 7", "atlas: the row 7 is named twice");
  expect_refusal("case --seed 1 --seed 2", "--seed is given more than once");
  expect_refusal("case --seed x", "--seed: expected a whole number, found \"x\"");
  expect_refusal("case --layout halv", "--layout: \"halv\" is not known; did you mean \"half\"?");
  expect_refusal("case --jobs 0", "--jobs: expected a whole number of at least 1, found \"0\"");
  expect_refusal("case --executor cpu --quiet", "--executor: \"cpu\" is not known; did you mean \"gpu\"?");
  expect_refusal("case --format yaml",
                 "no report format is named \"yaml\"; there are: json, sarif, xml, html, md, txt, github, gitlab");
  expect_refusal("merge", "merge: a report is missing; usage: rope-check merge A.json B.json...");
  expect_refusal("launch", "launch: a launch file is missing; usage: rope-check launch FILE.json...");
}

TEST(Program, AMissingCommandListsThem) {
  const ProgramResult got = rope_check("");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.errors.find("a command is missing; known are \"case\", \"fuzz\", \"launch\""), std::string::npos)
      << got.errors;
}

TEST(Program, UnknownNamesBringTheNearestOne) {
  for (const auto& [arguments, hint] : std::initializer_list<std::pair<const char*, const char*>>{
           {"case rotary/aply", "\"rotary/apply\""},
           {"case --checks bound", "\"bounds\""},
           {"case --problem 'rotary(B=1,Q=2)'", "Q"},
           {"case --problem 'rotari(B=1)'", "rotary"},
           {"explain out-of-bound-read", "\"out-of-bounds-read\""}}) {
    const ProgramResult got = rope_check(arguments);
    EXPECT_EQ(got.exit_code, 2) << arguments;
    EXPECT_NE(got.errors.find(hint), std::string::npos) << arguments << ": " << got.errors;
    EXPECT_EQ(std::count(got.errors.begin(), got.errors.end(), '\n'), 1) << got.errors;
  }
}

TEST(Program, UnreadableInputNamesFileAndLocation) {
  const std::string missing = scratch("missing.json");
  const std::string broken = written("broken.json", "{\n  \"schema\": \"ropewalk.launch/1\",\n  \"ptx\" 1\n}\n");
  const std::string ptx = written("broken.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f(\n");
  const std::string launch = written("broken_ptx.json",
                                     "{\"schema\": \"ropewalk.launch/1\", \"ptx\": \"broken.ptx\", \"entry\": \"f\", "
                                     "\"grid\": [1,1,1], \"block\": [1,1,1], \"tensors\": {}, \"args\": []}");
  for (const auto& [file, location] : std::initializer_list<std::pair<std::string, std::string>>{
           {missing, missing}, {broken, broken + ":3"}, {launch, ptx + ":"}}) {
    const ProgramResult got = rope_check("launch '" + file + "'");
    EXPECT_EQ(got.exit_code, 2) << file;
    EXPECT_NE(got.errors.find(location), std::string::npos) << got.errors;
    EXPECT_EQ(std::count(got.errors.begin(), got.errors.end(), '\n'), 1) << got.errors;
    EXPECT_EQ(got.output, "");
  }
}

TEST(Program, AReportOfNoFormatIsRefused) {
  expect_refusal(
      "case --report report.yaml",
      "report.yaml: the suffix names no report format; expected one of .json, .sarif, .xml, .html, .md, .txt, "
      ".github, .gitlab (or say --format)");
}

// It is reported before the run, so that a long one need not end to say so, and once more as the last.
TEST(Program, AReportThatCannotBeWrittenCostsNothingElse) {
  const std::string missing = scratch("no/such/folder/report.json"), other = scratch("other.json");
  const std::string why =
      missing + ": cannot write this file: there is no folder " + missing.substr(0, missing.rfind('/')) + "\n";
  const std::string reports = " --report '" + missing + "' --format json --report /dev/full --report '" + other + "'";
  for (const auto& [command, code] : std::initializer_list<std::pair<const char*, int>>{
           {"case faulty/rotary-apply-unguarded --rotary-dim 96", 1}, {"case", 2}}) {
    std::filesystem::remove(other);
    const ProgramResult got = rope_check(command + reports), alone = rope_check(std::string(command));
    EXPECT_EQ(got.exit_code, code);
    const auto without_time = [](const std::string& text) { return text.substr(0, text.rfind(',')); };
    EXPECT_EQ(without_time(got.output), without_time(alone.output));
    EXPECT_EQ(got.errors, "rope-check: warning: " + why + "rope-check: error: " + why +
                              "rope-check: error: /dev/full: cannot write this file: No space left on device\n");
    EXPECT_EQ(testing::report_at(other).summary.findings,
              alone.exit_code ? reports::count_severities(testing::report_at(other).findings).errors : 0u);
  }
}

TEST(Program, ATerminalThatIsFullCostsNoReport) {
  const std::string report = scratch("kept.json");
  const ProgramResult got =
      rope_check("case faulty/rotary-apply-unguarded --rotary-dim 96 --report '" + report + "' >/dev/full; echo $?");
  EXPECT_EQ(got.output, "1\n");
  EXPECT_FALSE(testing::report_at(report).findings.empty());
}

TEST(Program, AFullDiskIsReported) {
  const ProgramResult got = rope_check("case --report /dev/full --format json");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.errors.find("No space left on device"), std::string::npos) << got.errors;
  EXPECT_EQ(rope_check("list >/dev/full 2>/dev/null; echo $?").output, "2\n");
}

TEST(Program, AReaderThatGoesAwayCostsNothing) {
  const std::string report = scratch("pipe.json");
  rope_check("case faulty/rotary-apply-unguarded --rotary-dim 512 --report '" + report + "' | true");
  EXPECT_TRUE(std::filesystem::exists(report));
}

TEST(Program, ReportsInSeveralFormats) {
  const std::string json = scratch("a.json"), text = scratch("a.txt"), other = scratch("a.dat");
  EXPECT_EQ(rope_check("case --report '" + json + "' --report '" + text + "'").exit_code, 0);
  EXPECT_EQ(rope_check("case --report '" + other + "' --format json").exit_code, 0);
  for (const std::string& path : {json, text, other}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST(Program, AnExecutorThatIsNotThereDoesNotPassInSilence) {
  const Reported got = rope_check_report("case --executor gpu");
  EXPECT_EQ(got.program.exit_code, 3);
  ASSERT_EQ(got.report.not_run.size(), 1u);
  EXPECT_FALSE(got.report.not_run[0].reason.empty());
  EXPECT_EQ(got.report.executor, "gpu");
  EXPECT_EQ(got.report.summary.passed, 0u);
}

TEST(Program, TheInstrumentedExecutorFindsTheSameLocations) {
  const std::string command = "case faulty/rotary-apply-unguarded --rotary-dim 96 --checks bounds --executor ";
  const Reported machine = rope_check_report(command + "machine"), other = rope_check_report(command + "instrumented");
  ASSERT_FALSE(machine.report.findings.empty());
  ASSERT_EQ(other.report.findings.size(), machine.report.findings.size());
  for (size_t n = 0; n < machine.report.findings.size(); ++n) {
    EXPECT_EQ(other.report.findings[n].id, machine.report.findings[n].id);
  }
}

TEST(Program, TheFoundingBugIsFound) {
  const Reported got = rope_check_report("case faulty/rotary-apply-unguarded --shape 2,128,8,64 --rotary-dim 512");
  EXPECT_EQ(got.program.exit_code, 1) << got.program.errors;
  ASSERT_FALSE(got.report.findings.empty());
  for (const Finding& finding : got.report.findings) {
    ASSERT_TRUE(finding.cause) << finding.message;
    EXPECT_EQ(finding.cause->id, "model-width-for-head-dim");
    ASSERT_TRUE(finding.location);
    EXPECT_TRUE(finding.location->file.ends_with(".cuh") || finding.location->file.ends_with(".cu"));
    EXPECT_GT(finding.location->line, 0u);
  }
}

TEST(Program, TheReplayFindsTheSame) {
  const Reported first = rope_check_report("case faulty/rotary-apply-unguarded --rotary-dim 96 --seed 5");
  ASSERT_FALSE(first.report.findings.empty());
  const std::string replay = first.report.findings[0].replay;
  ASSERT_EQ(replay.substr(0, 11), "rope-check ");
  const Reported again = rope_check_report(replay.substr(11));
  ASSERT_EQ(again.report.findings.size(), first.report.findings.size());
  for (size_t n = 0; n < again.report.findings.size(); ++n) {
    EXPECT_EQ(again.report.findings[n].id, first.report.findings[n].id);
    EXPECT_EQ(again.report.findings[n].message, first.report.findings[n].message);
  }
}

TEST(Program, AReportAloneIsReplayed) {
  const std::string report = ::testing::TempDir() + "replayed.json";
  const std::string id =
      rope_check_report("case faulty/rotary-apply-unguarded --rotary-dim 96 --seed 5").report.findings.at(0).id;
  rope_check("case faulty/rotary-apply-unguarded --rotary-dim 96 --seed 5 --quiet --report " + report);
  const Reported all = rope_check_report("replay " + report);
  EXPECT_EQ(all.program.exit_code, 1) << all.program.errors;
  EXPECT_GT(all.report.findings.size(), 1u);
  const Reported one = rope_check_report("replay " + report + " --finding " + id);
  ASSERT_EQ(one.report.findings.size(), 1u);
  EXPECT_EQ(one.report.findings[0].id, id);
  const ProgramResult unknown = rope_check("replay " + report + " --finding 0123");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.errors.find("no finding has the id 0123"), std::string::npos) << unknown.errors;
}

TEST(Program, HealthyKernelsAreSilent) {
  for (const char* name : {"rotary/apply", "rotary/apply-general",
                           "rotary/apply-steps --problem 'rotary(rounding=steps)'", "rotary/qk", "rotary/cache"}) {
    const ProgramResult got = rope_check(std::string("case ") + name);
    EXPECT_EQ(got.exit_code, 0) << name << ": " << got.output << got.errors;
    EXPECT_EQ(std::count(got.output.begin(), got.output.end(), '\n'), 1) << got.output;
  }
}

TEST(Program, TheContractRejectsWithReasons) {
  const ProgramResult got = rope_check("case rotary/apply --rotary-dim 512 --offset -3");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.errors.find("rejected by the preconditions of rotary/apply"), std::string::npos) << got.errors;
  EXPECT_NE(got.errors.find("512"), std::string::npos) << got.errors;
  EXPECT_NE(got.errors.find("-3"), std::string::npos) << got.errors;
}

TEST(Program, ListsItsKernels) {
  const std::string healthy = rope_check("list").output, all = rope_check("list --faulty").output;
  EXPECT_NE(healthy.find("rotary/apply "), std::string::npos);
  EXPECT_EQ(healthy.find("faulty/"), std::string::npos);
  EXPECT_NE(all.find("faulty/rotary-apply-unguarded"), std::string::npos);
  EXPECT_NE(all.find("correct counterpart: rotary/apply-general"), std::string::npos);
}

TEST(Program, ExplainsEveryRule) {
  const std::string listed = rope_check("explain").output;
  for (const Rule rule : all_rules()) {
    EXPECT_NE(listed.find(std::string(name_of(rule)) + " "), std::string::npos) << name_of(rule);
  }
  const ProgramResult page = rope_check("explain shared-race");
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_EQ(page.output.find("shared-race: "), 0u);
  EXPECT_GE(std::count(page.output.begin(), page.output.end(), '\n'), 5);
}

TEST(Program, SaysItsVersion) { EXPECT_EQ(rope_check("--version").output, "rope-check " ROPEWALK_VERSION "\n"); }

TEST(Program, BenchMeasures) {
  const ProgramResult got = rope_check("bench 'integer add' --time 0.01s");
  EXPECT_EQ(got.exit_code, 0) << got.errors;
  EXPECT_NE(got.output.find("integer add"), std::string::npos);
  EXPECT_NE(got.output.find(" G"), std::string::npos) << got.output;
}

}  // namespace
}  // namespace ropewalk::tools
