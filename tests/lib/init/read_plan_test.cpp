#include "lib/init/read_plan.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"

namespace ropewalk::init {
namespace {

std::string plan_with(const std::string& events, const std::string& buffers = R"("cos_sin": {})") {
  return R"({"schema": "ropewalk.plan/1", "config": {"head_dim": 16, "max_position_embeddings": 32},
  "buffers": {)" +
         buffers + R"(}, "events": [)" + events + "]}";
}

std::string error_of(const std::string& text) {
  try {
    read_plan(text, "plan.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_SAYS(text, part) EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text)

TEST(ReadPlan, ReadsEventsWithTheirConstraintsAndLines) {
  const Plan plan = read_plan(plan_with(R"(
    {"do": "construct", "on": "meta"},
    {"name": "build", "do": "build_cache", "after": "construct", "scaled": false},
    {"do": "forward", "after": ["build"], "positions": 4})"),
                              "plan.json", 3);
  EXPECT_EQ(plan.ranks, 3u);
  ASSERT_EQ(plan.events.size(), 3u);
  EXPECT_EQ(plan.events[0].on, Residence::Meta);
  EXPECT_FALSE(plan.events[1].scaled);
  EXPECT_EQ(plan.events[1].line, plan.events[0].line + 1);
  EXPECT_EQ(plan.events[2].positions, 4);
  EXPECT_EQ(plan.events[2].after.size(), 2u) << "what comes before build comes before forward too";
  EXPECT_EQ(plan.buffers[0].rows, 32);
}

TEST(ReadPlan, ErrorsNameTheLocationAndTheNearest) {
  EXPECT_SAYS(plan_with(R"({"do": "to_emty"})"), "plan.json: events[0].do: unknown event \"to_emty\"");
  EXPECT_SAYS(plan_with(R"({"do": "to_emty"})"), "did you mean \"to_empty\"?");
  EXPECT_SAYS(plan_with(R"({"do": "cast", "dtyp": "f16"})"), "did you mean \"dtype\"?");
  EXPECT_SAYS(plan_with(R"({"do": "cast"})"), "the key \"dtype\" of cast is missing");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "rows": 3})"), "events[0]: unknown key \"rows\"");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "after": ["forwrad"]})"), "did you mean \"forward\"?");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "buffers": ["cos"]})"), "unknown buffer \"cos\"");
  EXPECT_SAYS(plan_with(R"({"do": "broadcast", "node_size": 2})"), "node_size: only a broadcast in two levels has it");
  EXPECT_SAYS(plan_with(R"({"do": "broadcast", "levels": "flat", "skips_synced": true})"), "skips_synced: only a");
  EXPECT_EQ(error_of(plan_with(R"({"do": "broadcast", "levels": "intra_then_inter", "node_size": 2})")), "no error");
  EXPECT_SAYS(plan_with(R"({"do": "forward"}, {"do": "forward"})"), "the name \"forward\" is taken");
  EXPECT_SAYS(plan_with(R"({"do": "enter_zero_init", "deepspeed": "new"})"), "expected a version such as");
  EXPECT_SAYS(plan_with(R"({"do": "forward"})", R"("a": {"hold": "table"})"), "did you mean \"holds\"?");
  EXPECT_SAYS(plan_with(R"({"do": "forward"})", R"("a": {"from": "a"})"), "buffers.a.from: only a table");
  EXPECT_SAYS(plan_with(""), "events: expected at least one event");
  EXPECT_SAYS("{}", "the key \"schema\" is missing");
}

// What an event waits for must happen, and on a rank where somebody waits.
TEST(ReadPlan, WaitsForWhatNeverHappensAreRefused) {
  const auto after = [](const char* ranks_of_build, const char* ranks_of_forward, const char* waits_for) {
    std::string text =
        plan_with(std::string(R"({"name": "build", "do": "build_cache", "ranks": )") + ranks_of_build +
                  R"(}, {"do": "forward", "ranks": )" + ranks_of_forward + R"(, "after": [")" + waits_for + R"("]})");
    return text.replace(text.find("\"config\""), 0, "\"ranks\": 2, ");
  };
  EXPECT_SAYS(after("\"all\"", "\"all\"", "build@2"), "events[1].after[0]: there is no rank 2; the plan has 2");
  EXPECT_SAYS(after("\"first\"", "\"all\"", "build@1"), "build does not happen on rank 1");
  EXPECT_SAYS(after("[1]", "[0]", "build"), "build happens on no rank that forward happens on");
  EXPECT_SAYS(after("\"others\"", "\"first\"", "build"), "build happens on no rank that forward happens on");
  for (const auto& [build, forward, waits_for] :
       {std::tuple("\"all\"", "\"all\"", "build@1"), std::tuple("\"first\"", "\"all\"", "build"),
        std::tuple("\"first\"", "\"others\"", "build@0"), std::tuple("[1]", "\"others\"", "build")}) {
    EXPECT_EQ(error_of(after(build, forward, waits_for)), "no error") << build << " " << forward << " " << waits_for;
  }
  // With fewer ranks than the plan was written for, those that are gone hold nothing back.
  EXPECT_EQ(read_plan(after("\"others\"", "\"all\"", "build"), "plan.json", 1).events[1].after.size(), 1u);
}

TEST(ReadPlan, CirclesAreRefused) {
  EXPECT_SAYS(
      plan_with(R"({"name": "a", "do": "forward", "after": ["b"]}, {"name": "b", "do": "forward", "after": ["a"]})"),
      "must come after itself");
}

}  // namespace
}  // namespace ropewalk::init
