// rope-check atlas: every known bug is found as the atlas says, beside a correct counterpart without findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/tools/program.h"
#include "tools/atlas/judge.h"

namespace ropewalk::tools {

using reports::Verdict;

namespace {

using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;

TEST(Atlas, EveryRowIsFoundAsExpected) {
  const Reported got = rope_check_report("atlas");
  EXPECT_EQ(got.program.exit_code, 0) << got.program.output;
  EXPECT_EQ(got.program.errors, "");
  EXPECT_EQ(got.report.summary.verdict, Verdict::Clean);
  for (const AtlasBug& entry : atlas_bugs({}, {})) {
    EXPECT_NE(got.program.output.find(entry.title), std::string::npos) << entry.title;
    const auto is_of_row = [&](const Finding& finding) {
      const std::set<std::string> related(finding.related.begin(), finding.related.end());
      return related.contains("atlas:" + std::to_string(entry.row)) && related.contains(entry.related.front());
    };
    EXPECT_TRUE(std::any_of(got.report.findings.begin(), got.report.findings.end(), is_of_row)) << entry.title;
  }
}

TEST(Atlas, RowsAreChosenByNumber) {
  const Reported got = rope_check_report("atlas 7 31 --quiet");
  EXPECT_EQ(got.program.exit_code, 0);
  for (const Finding& finding : got.report.findings) {
    EXPECT_TRUE(finding.related.front() == "atlas:7" || finding.related.front() == "atlas:31");
  }
  EXPECT_EQ(std::count(got.program.output.begin(), got.program.output.end(), '\n'), 1) << got.program.output;
  const auto refused = rope_check("atlas 7 9999");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("no row \"9999\"; its rows are 1, "), std::string::npos) << refused.errors;
}

TEST(Atlas, ABugThatIsNotFoundFailsTheRun) {
  const Reported got = rope_check_report("atlas 7 --checks overflow");
  EXPECT_EQ(got.program.exit_code, 1);
  EXPECT_EQ(got.report.summary.verdict, Verdict::Findings);
  EXPECT_NE(got.program.output.find("expected out-of-bounds-write of out at"), std::string::npos) << got.program.output;
  EXPECT_EQ(rope_check("atlas 7 --executor gpu").exit_code, 3);
}

// What the terminal, the exit code, the JSON and JUnit say of a run, whether it is as expected or not.
TEST(Atlas, AllReportsAgree) {
  const std::string json = scratch("atlas.json"), junit = scratch("atlas.xml");
  for (const auto& [options, code] : {std::pair("1 7 20", 0), std::pair("7 --checks overflow", 1)}) {
    const auto reported =
        rope_check(std::string("atlas ") + options + " --report '" + json + "' --report '" + junit + "'");
    EXPECT_EQ(reported.exit_code, code) << reported.output << reported.errors;
    const reports::Report report = testing::report_at(json);
    EXPECT_EQ(report.summary.verdict, code ? Verdict::Findings : Verdict::Clean);
    std::ifstream file(junit);
    const std::string xml{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(xml.find("<failure") == std::string::npos && xml.find("<error") == std::string::npos, code == 0) << xml;
    EXPECT_EQ(rope_check("merge '" + json + "' --quiet").exit_code == 0, code == 0);
    for (const Finding& finding : report.findings) {
      EXPECT_EQ(finding.replay.find("--report"), std::string::npos) << finding.replay;
    }
  }
}

TEST(Atlas, ItsReportsAreReplayed) {
  const std::string report = scratch("atlas-replayed.json");
  EXPECT_EQ(rope_check("atlas 1 20 --quiet --report '" + report + "'").exit_code, 0);
  const Reported again = rope_check_report("replay '" + report + "'");
  EXPECT_EQ(again.program.exit_code, 1) << again.program.errors;
  EXPECT_TRUE(again.report.not_run.empty());
  EXPECT_EQ(again.report.findings.size(), testing::report_at(report).findings.size());
}

TEST(Atlas, HonorsBaselinesAndSuppressions) {
  const std::string baseline = scratch("atlas-baseline.json"), suppressions = scratch("atlas-suppressions.json");
  EXPECT_EQ(rope_check("atlas 7 --report '" + baseline + "'").exit_code, 0);
  const Reported known = rope_check_report("atlas 7 9 --baseline '" + baseline + "'");
  EXPECT_EQ(known.program.exit_code, 0) << known.program.output;
  for (const Finding& finding : known.report.findings) {
    ASSERT_TRUE(finding.waiver) << finding.message;  // of the others the atlas expects them
    EXPECT_EQ(finding.waiver->by == Waiver::By::Baseline, finding.related.front() == "atlas:7") << finding.message;
  }
  std::ofstream(suppressions) << R"({"schema": "ropewalk.suppressions/1", "suppressions": [
    {"rule": "out-of-bounds-write", "kernel": "faulty/*", "reason": "seeded"},
    {"rule": "hang", "reason": "there is none"}]})";
  const Reported suppressed = rope_check_report("atlas 9 --suppress '" + suppressions + "'");
  EXPECT_EQ(suppressed.program.exit_code, 0) << suppressed.program.output;
  u64 waived = 0;
  for (const Finding& finding : suppressed.report.findings) {
    ASSERT_TRUE(finding.waiver) << finding.message;
    waived += finding.waiver->reason == "seeded";
    EXPECT_EQ(finding.waiver->reason == "seeded", finding.rule == Rule::OutOfBoundsWrite) << finding.message;
  }
  EXPECT_GT(waived, 0u);
  const auto& notes = suppressed.report.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("fits no finding of this run") != std::string::npos;
  }));
}

TEST(Atlas, FindsDoNotDependOnTheSeed) {
  for (const char* seed : {"2", "3", "12345"}) {
    EXPECT_EQ(rope_check(std::string("atlas --quiet --seed ") + seed).exit_code, 0) << seed;
  }
}

// The judge, on results made by hand.
AtlasBug bug_of_column_mask() {
  AtlasBug bug;
  bug.source = "kernels/faulty/rotary_masks.cu";
  bug.found = {Rule::OutOfBoundsRead, "cos", 25, "missing-column-mask"};
  return bug;
}

Finding finding_of(const AtlasBug& bug) {
  Finding finding;
  finding.rule = bug.found.rule;
  finding.access.emplace();
  finding.access->tensor = bug.found.tensor;
  finding.location.emplace();
  finding.location->file = bug.source;
  finding.location->line = bug.found.line;
  finding.cause = Cause{bug.found.cause, "", {}, ""};
  return finding;
}

TEST(AtlasJudge, AsksForRuleTensorLineAndCause) {
  const AtlasBug bug = bug_of_column_mask();
  AtlasRun run{&bug, {}, {}};
  run.faulty.run = true;
  EXPECT_FALSE(judge(run).as_expected());
  run.faulty.findings = {finding_of(bug)};
  EXPECT_TRUE(judge(run).as_expected());
  for (const auto& spoil : std::initializer_list<void (*)(Finding&)>{
           [](Finding& f) { f.rule = Rule::OutOfBoundsWrite; }, [](Finding& f) { f.access->tensor = "sin"; },
           [](Finding& f) { f.location->line = 26; }, [](Finding& f) { f.location->file = "elsewhere.cu"; },
           [](Finding& f) { f.cause.reset(); }, [](Finding& f) { f.cause->id = "wrong-stride"; }}) {
    run.faulty.findings = {finding_of(bug)};
    spoil(run.faulty.findings.front());
    EXPECT_FALSE(judge(run).as_expected());
    EXPECT_EQ(judge(run).found, nullptr);
  }
}

TEST(AtlasJudge, AnotherCauseOrACounterpartThatIsNotSilentIsNotAsExpected) {
  const AtlasBug bug = bug_of_column_mask();
  AtlasRun run{&bug, {}, {}};
  run.faulty.run = true;
  run.faulty.findings = {finding_of(bug), finding_of(bug)};
  run.faulty.findings[1].cause->id = "wrong-stride";
  EXPECT_NE(judge(run).found, nullptr);
  EXPECT_FALSE(judge(run).as_expected());
  run.faulty.findings.pop_back();
  run.counterpart.emplace();
  run.counterpart->run = true;
  EXPECT_TRUE(judge(run).as_expected());
  run.counterpart->findings = {finding_of(bug)};
  EXPECT_FALSE(judge(run).as_expected());
  run.counterpart->findings.clear();
  run.counterpart->not_run = "an unknown instruction";
  EXPECT_FALSE(judge(run).as_expected());
}

}  // namespace
}  // namespace ropewalk::tools
