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

TEST(ReadPlan, ErrorsNameThePlaceAndTheNearest) {
  EXPECT_SAYS(plan_with(R"({"do": "to_emty"})"), "plan.json: events[0].do: unknown event \"to_emty\"");
  EXPECT_SAYS(plan_with(R"({"do": "to_emty"})"), "did you mean \"to_empty\"?");
  EXPECT_SAYS(plan_with(R"({"do": "cast", "dtyp": "f16"})"), "did you mean \"dtype\"?");
  EXPECT_SAYS(plan_with(R"({"do": "cast"})"), "the key \"dtype\" of cast is missing");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "rows": 3})"), "events[0]: unknown key \"rows\"");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "after": ["forwrad"]})"), "did you mean \"forward\"?");
  EXPECT_SAYS(plan_with(R"({"do": "forward", "buffers": ["cos"]})"), "unknown buffer \"cos\"");
  EXPECT_SAYS(plan_with(R"({"do": "forward"}, {"do": "forward"})"), "the name \"forward\" is taken");
  EXPECT_SAYS(plan_with(R"({"do": "enter_zero_init", "deepspeed": "new"})"), "expected a version such as");
  EXPECT_SAYS(plan_with(R"({"do": "forward"})", R"("a": {"hold": "table"})"), "did you mean \"holds\"?");
  EXPECT_SAYS(plan_with(R"({"do": "forward"})", R"("a": {"from": "a"})"), "buffers.a.from: only a table");
  EXPECT_SAYS(plan_with(""), "events: expected at least one event");
  EXPECT_SAYS("{}", "the key \"schema\" is missing");
}

TEST(ReadPlan, CirclesAreRefused) {
  EXPECT_SAYS(
      plan_with(R"({"name": "a", "do": "forward", "after": ["b"]}, {"name": "b", "do": "forward", "after": ["a"]})"),
      "must come after itself");
}

}  // namespace
}  // namespace ropewalk::init
