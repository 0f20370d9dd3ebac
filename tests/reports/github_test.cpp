#include <gtest/gtest.h>

#include <algorithm>

#include "reports/format.h"
#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

Report with_findings(size_t errors, size_t warnings, size_t not_run) {
  const Report example = testing::example_report();
  Report report = example;
  report.findings.clear();
  report.not_run.clear();
  for (size_t n = 0; n < warnings; ++n) report.findings.push_back(example.findings[1]);
  for (size_t n = 0; n < errors; ++n) report.findings.push_back(example.findings[0]);
  for (size_t n = 0; n < not_run; ++n) report.not_run.push_back(example.not_run[0]);
  conclude(report, false);
  return report;
}

std::vector<std::string> commands_of(const Report& report) {
  std::vector<std::string> commands;
  std::string line;
  for (const char letter : format_named("github").write(report)) {
    if (letter != '\n') {
      line += letter;
      continue;
    }
    if (line.starts_with("::")) commands.push_back(line);
    line.clear();
  }
  return commands;
}

TEST(GithubAnnotations, NeverAreMoreThanTen) {
  for (size_t errors = 0; errors < 14; ++errors) {
    for (const size_t warnings : {0, 1, 9, 10, 11}) {
      for (const size_t not_run : {0, 1, 5, 20}) {
        const std::vector<std::string> commands = commands_of(with_findings(errors, warnings, not_run));
        EXPECT_LE(commands.size(), 10u) << errors << " " << warnings << " " << not_run;
        const size_t all = errors + warnings + not_run;
        if (all <= 10) {
          EXPECT_EQ(commands.size(), all);
        }
      }
    }
  }
}

TEST(GithubAnnotations, PutErrorsFirstAndCountTheRest) {
  const std::vector<std::string> commands = commands_of(with_findings(9, 3, 0));
  ASSERT_EQ(commands.size(), 10u);
  EXPECT_TRUE(std::all_of(commands.begin(), commands.begin() + 9,
                          [](const std::string& one) { return one.starts_with("::error "); }));
  EXPECT_EQ(commands[9], "::warning title=3 more findings::3 shared-race: see the report");
}

TEST(GithubAnnotations, EscapeWhatTheRunnerWouldRead) {
  Report report = with_findings(1, 0, 0);
  report.findings[0].location->file = "a,b:c%/k.cu";
  report.findings[0].message = "50% of x\n::error::fake";
  const std::string command = commands_of(report).at(0);
  EXPECT_EQ(command.find("file=a%2Cb%3Ac%25/k.cu,line=41,col=5,title="), 8u) << command;
  EXPECT_NE(command.find("::50%25 of x\\x0a::error::fake%0ACause: "), std::string::npos) << command;
  EXPECT_EQ(commands_of(report).size(), 1u);
}

TEST(GithubAnnotations, LeaveWaivedFindingsOut) {
  Report report = with_findings(2, 0, 0);
  report.findings[0].waiver = Waiver{Waiver::By::Baseline, "known"};
  EXPECT_EQ(commands_of(report).size(), 1u);
}

}  // namespace
}  // namespace ropewalk::reports
