#include "reports/text.h"

#include <gtest/gtest.h>

#include "tests/reports/example.h"

namespace ropewalk {
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
  EXPECT_EQ(text_of(report, {}), "clean    3 cases checked, nothing found  (machine, seed 7, 1.00 s)\n");
}

TEST(ReportText, ACauseIsToldInFullOnce) {
  Report report = testing::example_report();
  report.findings = {report.findings[0], report.findings[0]};
  const std::string text = text_of(report, {}), advice = report.findings[0].cause->advice;
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

}  // namespace
}  // namespace ropewalk
