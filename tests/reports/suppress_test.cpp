#include "reports/suppress.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "reports/glob.h"
#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

using namespace std::chrono_literals;

constexpr Date day = 2026y / 6 / 15;

std::string file_of(const std::string& items) {
  return "{\"schema\": \"ropewalk.suppressions/1\", \"suppressions\": [" + items + "]}";
}

std::string error_of(const std::string& text) {
  try {
    read_suppressions(text, "s.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// The example's findings with these suppressions.
Report suppressed(const std::string& items) {
  Report report = testing::example_report();
  report.notes.clear();
  for (Finding& finding : report.findings) finding.waiver.reset();
  suppress(report, read_suppressions(file_of(items), "s.json"), "s.json", day);
  return report;
}

std::string waived(const Report& report) {
  std::string out;
  for (const Finding& finding : report.findings) out += finding.waiver ? 'x' : '.';
  return out;
}

TEST(Glob, StarsAndQuestionMarks) {
  for (const auto& [pattern, text] : std::initializer_list<std::pair<const char*, const char*>>{{"", ""},
                                                                                                {"*", ""},
                                                                                                {"*", "a/b"},
                                                                                                {"a*c", "abbc"},
                                                                                                {"a*b*c", "axbxbxc"},
                                                                                                {"?b", "ab"},
                                                                                                {"**a", "a"},
                                                                                                {"[a]", "[a]"}})
    EXPECT_TRUE(glob_matches(pattern, text)) << pattern << " " << text;
  for (const auto& [pattern, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "a"}, {"a", ""}, {"?", ""}, {"a*c", "abcd"}, {"a", "A"}, {"*b", "abc"}, {"[a]", "a"}})
    EXPECT_FALSE(glob_matches(pattern, text)) << pattern << " " << text;
}

TEST(Suppress, PatternsMustAllFit) {
  EXPECT_EQ(waived(suppressed(R"({"rule": "launch-limit", "reason": "r"})")), "...xxx");
  EXPECT_EQ(waived(suppressed(R"({"rule": "*", "kernel": "rotary/*", "reason": "r"})")), "..x...");
  EXPECT_EQ(waived(suppressed(R"({"kernel": "rotary_apply_half_bf16", "reason": "r"})")), "x.....");
  EXPECT_EQ(waived(suppressed(R"({"location": "kernels/*.cu:41", "reason": "r"})")), "x.....");
  EXPECT_EQ(waived(suppressed(R"({"location": "kernels/*.cu:4", "reason": "r"})")), "......");
  EXPECT_EQ(waived(suppressed(R"({"location": "sum.ptx:30", "reason": "r"})")), ".x....");
  EXPECT_EQ(waived(suppressed(R"({"tensor": "out", "rule": "output-*", "reason": "r"})")), "..x...");
  const std::string id = testing::example_report().findings[0].id;
  EXPECT_EQ(waived(suppressed("{\"id\": \"" + id + "\", \"reason\": \"r\"}")), "x.....");
}

TEST(Suppress, TheReasonIsReported) {
  const Report report = suppressed(R"({"rule": "shared-race", "reason": "benign"})");
  ASSERT_TRUE(report.findings[1].waiver);
  EXPECT_EQ(report.findings[1].waiver->by, Waiver::By::Suppression);
  EXPECT_EQ(report.findings[1].waiver->reason, "benign");
  EXPECT_TRUE(report.notes.empty());
}

TEST(Suppress, AnExpiredOneIsReportedAndDoesNotCount) {
  const Report report = suppressed(R"({"rule": "shared-race", "reason": "soon", "until": "2026-06-14"})");
  EXPECT_EQ(waived(report), "......");
  EXPECT_EQ(report.notes,
            std::vector<std::string>{"s.json: suppressions[0] (rule shared-race) has expired on 2026-06-14 "
                                     "and counts no more; its reason was: soon"});
  EXPECT_EQ(waived(suppressed(R"({"rule": "shared-race", "reason": "r", "until": "2026-06-15"})")), ".x....");
}

TEST(Suppress, AnUnusedOneIsReported) {
  const Report report = suppressed(R"({"rule": "hang", "kernel": "a*", "reason": "r"})");
  EXPECT_EQ(report.notes,
            std::vector<std::string>{"s.json: suppressions[0] (rule hang, kernel a*) fits no finding of this run"});
}

TEST(Suppress, ErrorsNameTheField) {
  EXPECT_EQ(error_of(file_of("")), "no error");
  EXPECT_EQ(error_of(file_of(R"({"rule": "hang"})")),
            "s.json: suppressions[0]: the key \"reason\" is missing: say why the finding is suppressed");
  EXPECT_EQ(
      error_of(file_of(R"({"reason": "r"})")),
      "s.json: suppressions[0]: expected at least one of \"rule\", \"id\", \"kernel\", \"location\" and \"tensor\"");
  EXPECT_EQ(error_of(file_of(R"({"rule": "out-of-bound-read", "reason": "r"})")),
            "s.json: suppressions[0].rule: no rule fits \"out-of-bound-read\"; did you mean \"out-of-bounds-read\"?");
  EXPECT_EQ(error_of(file_of(R"({"rule": "hang", "reason": "r", "until": "2026-02-30"})")),
            "s.json: suppressions[0].until: expected a day such as \"2027-01-31\", found \"2026-02-30\"");
  EXPECT_NE(error_of(file_of(R"({"rule": "hang", "reasn": "r"})")).find("did you mean \"reason\"?"), std::string::npos);
  EXPECT_EQ(error_of(R"({"schema": "x", "suppressions": []})"),
            "s.json: schema: expected \"ropewalk.suppressions/1\", found \"x\"");
  EXPECT_NE(error_of("{").find("s.json:1"), std::string::npos);
}

TEST(Suppress, AFileOutsideOfTheRootFitsByTheEndOfItsPath) {
  Report report = testing::example_report();
  report.findings.resize(1);
  report.findings[0].location->file = "/opt/venv/lib/site-packages/fla/ops/k.py";
  const auto waives = [&](const std::string& pattern) {
    Report copy = report;
    copy.findings[0].waiver.reset();
    suppress(copy, read_suppressions(file_of("{\"location\": \"" + pattern + "\", \"reason\": \"r\"}"), "s.json"),
             "s.json", day);
    return copy.findings[0].waiver.has_value();
  };
  EXPECT_TRUE(waives("site-packages/fla/*.py"));
  EXPECT_TRUE(waives("k.py"));
  EXPECT_TRUE(waives("/opt/*"));
  EXPECT_FALSE(waives("fl/*"));
  EXPECT_FALSE(waives("/fla/*"));
  report.findings[0].location->file = "third_party/fla/ops/k.py";
  EXPECT_TRUE(waives("third_party/*.py"));
  EXPECT_FALSE(waives("fla/*.py"));
}

}  // namespace
}  // namespace ropewalk::reports
