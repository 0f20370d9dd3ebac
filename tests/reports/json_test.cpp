#include "reports/json.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

std::string error_of_text(const std::string& text) {
  try {
    parse_json_report(text, "report.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ReportJson, IsTheGoldenFile) { testing::expect_golden("report.json", json_of(testing::example_report())); }

TEST(ReportJson, ReadsBackAsTheSameReport) {
  const std::string text = json_of(testing::example_report());
  EXPECT_EQ(json_of(parse_json_report(text, "report.json")), text);
}

TEST(ReportJson, KeepsWhatADeviceRecorded) {
  Report report = testing::example_report();
  report.device_runs.push_back(
      {"rotary(B=1)", {"kernel", {4, 8, 2}, {128, 1, 1}, 24, 16, 128, 64, 1, 13, 1000, u64(1) << 60}});
  const std::string text = json_of(report);
  const Report back = parse_json_report(text, "report.json");
  ASSERT_EQ(back.device_runs.size(), 1u);
  EXPECT_EQ(back.device_runs[0].case_text, "rotary(B=1)");
  EXPECT_EQ(back.device_runs[0].run.grid, (Dim3{4, 8, 2}));
  EXPECT_EQ(back.device_runs[0].run.local_bytes, 16u);
  EXPECT_EQ(back.device_runs[0].run.end_ns, u64(1) << 60);
  EXPECT_EQ(json_of(back), text);
}

TEST(ReportJson, PassesOverKeysOfALaterVersion) {
  const std::string text = json_of(testing::example_report());
  const std::string later = replaced(text, "\"seed\": 1,", "\"seed\": 1, \"weather\": {\"rain\": true},");
  EXPECT_EQ(json_of(parse_json_report(later, "report.json")), text);
}

TEST(ReportJson, ReplacesBytesThatAreNotUtf8) {
  Report report = testing::example_report();
  report.findings[0].message =
      "a\xff"
      "b";
  EXPECT_EQ(parse_json_report(json_of(report), "report.json").findings[0].message,
            "a\xef\xbf\xbd"
            "b");
}

TEST(ReportJson, KeepsTheWholeSeed) {
  Report report = testing::example_report();
  report.seed = ~u64{0};
  EXPECT_EQ(parse_json_report(json_of(report), "report.json").seed, ~u64{0});
}

TEST(ReportJson, MalformedTextNamesFileAndLine) {
  EXPECT_EQ(
      error_of_text("{\n  \"schema\": \n  ]\n}"),
      "report.json:3:3: not valid JSON: syntax error while parsing value - unexpected ']'; expected '[', '{', or a "
      "literal");
  EXPECT_EQ(error_of_text("").substr(0, 32), "report.json:1:1: not valid JSON:");
}

TEST(ReportJson, WrongValuesNameTheirField) {
  const std::string text = json_of(testing::example_report());
  EXPECT_EQ(error_of_text("[]"), "report.json: expected an object, found a list");
  EXPECT_EQ(error_of_text("{}"), "report.json: the key \"schema\" is missing");
  EXPECT_EQ(error_of_text(replaced(text, "ropewalk.report/1", "ropewalk.launch/1")),
            "report.json: schema: expected \"ropewalk.report/1\", found \"ropewalk.launch/1\"");
  EXPECT_EQ(error_of_text(replaced(text, "\"out-of-bounds-write\"", "\"out-of-cheese\"")),
            "report.json: findings[0].rule: no rule is named \"out-of-cheese\"");
  EXPECT_EQ(
      error_of_text(replaced(text, "\"severity\": \"warning\"", "\"severity\": \"awful\"")),
      "report.json: findings[1].severity: unknown severity \"awful\", known are \"error\", \"warning\", \"note\"");
  EXPECT_EQ(error_of_text(replaced(text, "\"accesses\": 448", "\"accesses\": -1")),
            "report.json: findings[0].occurrences.accesses: expected a whole number from 0 to 18446744073709551615, "
            "found -1");
  EXPECT_EQ(error_of_text(replaced(text, "\"thread\": [32,0,0]", "\"thread\": [-1,0,0]")),
            "report.json: findings[0].thread.thread[0]: expected a whole number from 0 to 4294967295, found -1");
  EXPECT_EQ(error_of_text(replaced(text, "\"elements\": [5,6,40]", "\"elements\": [5,-6,40]")),
            "report.json: findings[2].footprint.elements: expected ascending numbers");
  EXPECT_EQ(error_of_text(replaced(text, "\"cases\": 5", "\"cases\": \"5\"")),
            "report.json: summary.cases: expected a whole number from 0 to 18446744073709551615, found \"5\"");
  EXPECT_EQ(error_of_text(replaced(text, "\"verdict\": \"findings\"", "\"verdict\": \"fine\"")),
            "report.json: summary.verdict: unknown verdict \"fine\", known are \"clean\", \"findings\", \"not-run\"");
}

}  // namespace
}  // namespace ropewalk::reports
