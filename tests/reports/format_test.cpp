#include "reports/format.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "reports/json.h"
#include "tests/reports/example.h"

namespace ropewalk::reports {
namespace {

template <class Call>
std::string error_of_call(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Format, IsChosenBySuffix) {
  EXPECT_EQ(format_of_path("a/b.json").name, "json");
  EXPECT_EQ(format_of_path("b.txt").name, "txt");
  EXPECT_EQ(format_named("json").suffix, ".json");
}

TEST(Format, UnknownOnesListWhatThereIs) {
  EXPECT_EQ(
      error_of_call([] { format_of_path("b.yaml"); }),
      "b.yaml: the suffix names no report format; expected one of .json, .sarif, .xml, .html, .md, .txt, .github, "
      ".gitlab (or say --format)");
  EXPECT_EQ(error_of_call([] { format_named("yaml"); }),
            "no report format is named \"yaml\"; there are: json, sarif, xml, html, md, txt, github, gitlab");
}

TEST(Format, WritesTheReport) {
  const Report report = testing::example_report();
  EXPECT_EQ(format_named("json").write(report), json_of(report));
  for (const Format& format : all_formats()) {
    EXPECT_NE(format.write(report).find("out-of-bounds-write"), std::string::npos) << format.name;
    EXPECT_TRUE(format.write(report).ends_with("\n")) << format.name;
  }
}

TEST(Format, IsTheGoldenFile) {
  for (const Format& format : all_formats()) {
    const std::string suffix(format.suffix);
    if (suffix != ".txt") testing::expect_golden("report" + suffix, format.write(testing::example_report()));
  }
}

TEST(Format, SaysThatACleanRunIsClean) {
  Report report;
  report.tool = "rope-check";
  report.executor = "machine";
  report.summary.cases = report.summary.passed = 3;
  report.coverage.checks = {"bounds"};
  conclude(report, false);
  for (const Format& format : all_formats()) {
    if (format.name == "gitlab") continue;  // a list of what is wrong
    EXPECT_NE(format.write(report).find("clean"), std::string::npos) << format.name;
  }
  EXPECT_EQ(format_named("gitlab").write(report), "[]\n");
}

// Bytes that are no UTF-8, control characters, and every character that one of the formats gives a meaning to.
TEST(Format, NamesOutOfFilesStayNames) {
  const std::string evil = "\xff\x1b[31m</script><b>&\"'`|*_]]>\n::error::[x](http://e.vil) {0} %0A\xef\xbf\xbe";
  Report report = testing::example_report();
  Finding& finding = report.findings[0];
  finding.message = finding.kernel_name = finding.kernel_entry = finding.replay = finding.minimal_case = evil;
  finding.case_text = finding.cause->text = finding.cause->advice = finding.access->tensor = evil;
  finding.location->file = finding.location->ptx_file = finding.location->instruction = evil;
  finding.related = finding.evidence = finding.cause->evidence = {evil};
  report.notes = report.printed = {evil};
  report.not_run[0] = {evil, evil, evil};
  report.sources[evil][41] = evil;
  for (const Format& format : all_formats()) {
    const std::string text = format.write(report);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << format.name;
    EXPECT_EQ(text.find('\xff'), std::string::npos) << format.name;
    EXPECT_EQ(text.find("\n::error::[x]"), std::string::npos) << format.name;
    if (format.name == "xml" || format.name == "html") {
      EXPECT_EQ(text.find("<b>"), std::string::npos) << format.name;
    }
  }
}

}  // namespace
}  // namespace ropewalk::reports
