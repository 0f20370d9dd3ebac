#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tools/program.h"

namespace ropewalk::testing {
namespace {

std::string plan_with(const std::string& events) {
  return R"({"schema": "ropewalk.plan/1", "config": {"head_dim": 8, "max_position_embeddings": 16},
 "buffers": {"cos_sin": {}},
 "events": [
)" + events +
         "\n]}\n";
}

TEST(InitCommand, ARepairedPlanIsClean) {
  const ProgramResult result = rope_check("init lib/init/plans/litgpt.repaired.json");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("orders of 6 events on 2 ranks"), std::string::npos);
}

TEST(InitCommand, ABrokenPlanIsFoundAtItsLine) {
  const Reported reported = rope_check_report("init lib/init/plans/litgpt.broken.json --ranks 3");
  EXPECT_EQ(reported.program.exit_code, 1);
  ASSERT_EQ(reported.report.findings.size(), 1u);
  const Finding& finding = reported.report.findings[0];
  EXPECT_EQ(finding.rule, Rule::InitOrder);
  ASSERT_TRUE(finding.location);
  EXPECT_EQ(finding.location->file, "lib/init/plans/litgpt.broken.json");
  EXPECT_EQ(finding.location->line, 12u);
  ASSERT_TRUE(finding.cause);
  EXPECT_EQ(finding.cause->id, "reset-skipped-after-to-empty");
  EXPECT_EQ(finding.minimal_case, "1 rank: build_cache -> to_empty -> reset_parameters -> forward");
  EXPECT_NE(finding.replay.find("--ranks 3"), std::string::npos);
  // The state after each step of an order that fails.
  ASSERT_EQ(finding.evidence.size(), 6u);
  EXPECT_EQ(finding.evidence[2], "to_empty          cos_sin GARBAGE");
  ASSERT_FALSE(reported.report.notes.empty());
  EXPECT_NE(reported.report.notes[0].find("on 3 ranks"), std::string::npos);
}

TEST(InitCommand, BadInputIsOneLineThatNamesTheFieldAndExit2) {
  const auto refused = [](const std::string& arguments) {
    const ProgramResult result = rope_check("init " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    return result.errors;
  };
  const std::string typo = written("typo.json", plan_with(R"({"do": "to_emty"})"));
  EXPECT_NE(refused(typo).find("events[0].do: unknown event \"to_emty\", did you mean \"to_empty\"?"),
            std::string::npos);
  const std::string option = written("option.json", plan_with(R"({"do": "cast", "dtyp": "f16"})"));
  EXPECT_NE(refused(option).find("events[0]: unknown key \"dtyp\", did you mean \"dtype\"?"), std::string::npos);
  const std::string half = written("half.json", "{\n \"schema\": \"ropewalk.plan/1\",\n");
  EXPECT_NE(refused(half).find("half.json:"), std::string::npos);
  EXPECT_NE(refused("no-such-plan.json").find("no-such-plan.json"), std::string::npos);
  EXPECT_NE(refused("").find("a plan is missing"), std::string::npos);
  EXPECT_NE(refused("lib/init/plans/litgpt.broken.json --ranks 0").find("--ranks"), std::string::npos);
  EXPECT_NE(refused("lib/init/plans/litgpt.broken.json --ranks 65").find("--ranks"), std::string::npos);
}

// Twenty events in any order are more than are explored; what was left out is reported, and it is not clean.
TEST(InitCommand, ASearchThatIsCutIsNotClean) {
  std::string events;
  for (int n = 0; n < 20; ++n) {
    events += "{\"name\": \"build " + std::to_string(n) + "\", \"do\": \"build_cache\"},\n";
  }
  const std::string path =
      written("wide.json", plan_with(events + R"({"do": "wait", "stream": "a", "for": "default"})"));
  const Reported reported = rope_check_report("init " + path);
  EXPECT_EQ(reported.program.exit_code, 3) << reported.program.output;
  EXPECT_TRUE(reported.report.findings.empty());
  ASSERT_GE(reported.report.notes.size(), 2u);
  EXPECT_EQ(reported.report.notes[0].rfind("at least ", 0), 0u) << reported.report.notes[0];
  EXPECT_NE(reported.report.notes[1].find("not explored: of rank 0: after the first "), std::string::npos)
      << reported.report.notes[1];
}

TEST(InitCommand, AnEventOnARankThatThereIsNotIsRefused) {
  const std::string path =
      written("rank5.json", plan_with(R"({"do": "construct", "on": "cpu", "ranks": [5]}, {"do": "forward"})"));
  const ProgramResult result = rope_check("init " + path);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.errors.find("there is no rank 5; the plan has 1 of them"), std::string::npos) << result.errors;
}

// 28 casts without an order between them, of which every one changes the state.
TEST(InitCommand, TheSearchIsBounded) {
  std::string events = R"({"do": "construct", "on": "device"})";
  for (int n = 0; n < 28; ++n) {
    events += fmt::format(R"(, {{"do": "cast", "name": "c{}", "dtype": "{}", "after": ["construct"]}})", n,
                          n % 2 ? "f16" : "bf16");
  }
  events += R"(, {"do": "build_cache", "after": ["construct"]}, {"do": "forward", "after": ["construct"]})";
  const Reported reported = rope_check_report("init " + written("free.json", plan_with(events)));
  EXPECT_NE(reported.program.exit_code, 0);
  ASSERT_GE(reported.report.notes.size(), 2u);
  EXPECT_NE(reported.report.notes[1].find("the search was cut"), std::string::npos) << reported.report.notes[1];
  EXPECT_LT(reported.program.seconds, 120);
}

}  // namespace
}  // namespace ropewalk::testing
