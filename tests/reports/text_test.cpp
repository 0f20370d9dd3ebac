#include "reports/text.h"

#include <gtest/gtest.h>

#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

TextOptions with_source(bool color) {
  TextOptions options;
  options.color = color;
  options.source_lines = testing::example_source_line;
  return options;
}

TEST(ReportText, IsTheGoldenFile) {
  testing::expect_golden("report.txt", text_of(testing::example_report(), with_source(false)));
}

TEST(ReportText, InColourIsTheGoldenFile) {
  testing::expect_golden("report.ansi", text_of(testing::example_report(), with_source(true)));
}

TEST(ReportText, OfACleanRunIsOneLine) {
  Report report;
  report.executor = "machine";
  report.seed = 7;
  report.duration_s = 1;
  report.summary.cases = report.summary.passed = 3;
  conclude(report, false);
  EXPECT_EQ(text_of(report, {}), "ran      3 cases, without any check  (machine, seed 7, 1.00 s)\n");
  EXPECT_EQ(report.summary.verdict, Verdict::NotRun);
  report.coverage.checks = {"bounds"};
  conclude(report, false);
  EXPECT_EQ(text_of(report, {}), "clean    3 cases checked, nothing found  (machine, seed 7, 1.00 s)\n");
}

TEST(ReportText, ACauseIsShownInFullOnce) {
  Report report = testing::example_report();
  report.findings = {report.findings[0], report.findings[0]};
  TextOptions options;
  options.max_findings = 2;
  const std::string text = text_of(report, options), advice = report.findings[0].cause->advice;
  const std::string cause = report.findings[0].cause->text;
  const size_t first = text.find(advice);
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(advice, first + 1), std::string::npos);
  EXPECT_NE(text.find(cause, first), std::string::npos);
}

TEST(ReportText, QuietIsTheVerdictAlone) {
  TextOptions options;
  options.quiet = true;
  const Report report = testing::example_report();
  EXPECT_EQ(text_of(report, options), verdict_line(report, false));
}

TEST(ReportText, ControlCharactersDoNotReachTheTerminal) {
  Report report = testing::example_report();
  report.findings[0].message = "a\x1b[31mb";
  report.printed = {
      "c\x07"
      "d"};
  const std::string text = text_of(report, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1b[31mb"), std::string::npos);
  EXPECT_NE(text.find("c\\x07d"), std::string::npos);
}

TEST(ReportText, TheSourceLineIsFoundInTheFolders) {
  const SourceLines lines = source_lines_from({ROPEWALK_SOURCE_DIR});
  EXPECT_EQ(lines("reports/text.h", 1), "// The report as text for a terminal.");
  EXPECT_EQ(lines("reports/text.h", 0), std::nullopt);
  EXPECT_EQ(lines("reports/text.h", 100000), std::nullopt);
  EXPECT_EQ(lines("reports", 1), std::nullopt);
  EXPECT_EQ(source_lines_from({})("no/such/file.cu", 1), std::nullopt);
}

// A report with `causes` causes of `each` findings.
Report many(size_t causes, size_t each) {
  Report report = testing::example_report();
  const Finding finding = report.findings[0];
  report.findings.clear();
  report.notes.clear();
  report.not_run.clear();
  for (size_t n = 0; n < causes * each; ++n) {
    report.findings.push_back(finding);
    report.findings.back().id = std::to_string(10000000 + n);
    report.findings.back().cause->text = "cause number " + std::to_string(n % causes);
    report.findings.back().location->line = 100 + n;
  }
  conclude(report, false);
  return report;
}

size_t count_of(const std::string& word, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(ReportText, FindingsOfOneCauseAreFewLines) {
  const std::string text = text_of(many(1, 30), {});
  EXPECT_EQ(count_of("  executed ", text), 1u);
  EXPECT_EQ(count_of("\n  also     ", text), 5u);
  EXPECT_NE(text.find("  also     25 findings more of this cause\n"), std::string::npos) << text;
  EXPECT_NE(text.find("note: 1 of 30 findings are shown in full; --max-findings 30 shows all"), std::string::npos);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
}

TEST(ReportText, MaxFindingsSaysHowManyAreShownInFull) {
  TextOptions options;
  for (const auto& [most, full] :
       std::initializer_list<std::pair<u64, size_t>>{{0, 0}, {1, 1}, {7, 7}, {24, 24}, {99, 24}}) {
    options.max_findings = most;
    const std::string text = text_of(many(4, 6), options);
    EXPECT_EQ(count_of("  executed ", text), full) << most;
    for (size_t cause = 0; cause < 4; ++cause) {
      EXPECT_EQ(count_of("cause number " + std::to_string(cause), text) > 0, true) << most;
    }
  }
  EXPECT_EQ(count_of("  executed ", text_of(many(14, 1), {})), 10u);
}

TEST(ReportText, WhatIsWaivedHasALine) {
  Report report = many(1, 2);
  report.findings[1].waiver = Waiver{Waiver::By::Baseline, "it is in before.json"};
  const std::string text = text_of(report, {});
  EXPECT_EQ(count_of("  executed ", text), 1u);
  EXPECT_EQ(count_of("known: error[", text), 1u);
  EXPECT_EQ(text.find("shown in full"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk::reports
