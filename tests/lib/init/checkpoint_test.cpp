// What is judged of a plan at all, what a checkpoint brings, and which event a minimal plan keeps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"

namespace ropewalk::init {
namespace {

PlanAnswer answer_to(const std::string& events, const std::string& buffers = R"("cos_sin": {"persistent": true})") {
  return check_plan(read_plan(fmt::format(R"({{"schema": "ropewalk.plan/1", "ranks": 2,
      "config": {{"head_dim": 16, "max_position_embeddings": 64}}, "buffers": {{{}}}, "events": [{}]}})",
                                          buffers, events),
                              "plan.json"),
                    kernels::shipped_kernels());
}

// The cause, or "clean".
std::string cause_in(const PlanAnswer& answer) {
  if (answer.findings.empty()) return "clean";
  return answer.findings[0].cause ? answer.findings[0].cause->id : "none: " + answer.findings[0].message;
}

constexpr const char* build = R"({"name": "build", "do": "build_cache"})";
constexpr const char* forward = R"({"do": "forward", "after": ["load"]})";

TEST(Judged, ABufferThatNoForwardUsesIsNot) {
  using Texts = std::vector<std::string>;
  const auto not_judged = [](const std::string& events,
                             const std::string& buffers = R"("cos_sin": {"persistent": true})") {
    Texts reasons;
    for (const auto& one : answer_to(events, buffers).not_judged) reasons.push_back(one.reason);
    return reasons;
  };
  const std::string built = build;
  EXPECT_EQ(not_judged(built).size(), 1u) << "no forward";
  EXPECT_EQ(not_judged(built + R"(, {"do": "forward", "after": ["build"]})"), Texts{});
  EXPECT_EQ(not_judged(built + R"(, {"do": "forward", "after": ["build"], "ranks": "first"})"),
            Texts{"no forward uses cos_sin on rank 1"});
  EXPECT_EQ(not_judged(built + R"(, {"do": "forward", "after": ["build"], "buffers": "a"})", R"("a": {}, "b": {})"),
            Texts{"no forward uses b on rank 0, 1"});
  const char* const source = R"("w": {"holds": "frequencies"}, "b": {"from": "w"})";
  EXPECT_EQ(not_judged(built + R"(, {"do": "forward", "after": ["build"], "buffers": "b"})", source), Texts{});
}

TEST(Checkpoint, ReplacesAMetaTensorOnlyWhereItIsAssigned) {
  const std::string meta =
      R"({"do": "construct", "on": "meta"}, {"name": "build", "do": "build_cache", "after": ["construct"]},
      {"name": "load", "do": "load_checkpoint", "after": ["build"])";
  EXPECT_EQ(cause_in(answer_to(meta + R"(}, )" + forward)), "built-on-meta");
  EXPECT_EQ(cause_in(answer_to(meta + R"(, "assign": true}, )" + forward)), "clean");
}

TEST(Judged, ABufferThatNobodyComputesWasNotBuiltOnMeta) {
  const std::string made = R"({"do": "construct", "on": "meta", "name": "made"})";
  const std::string rest =
      R"({"do": "to_empty", "name": "load", "after": ["before"]}, {"do": "forward", "after": ["load"]})";
  EXPECT_EQ(cause_in(answer_to(made + R"(, {"do": "register_buffer", "name": "before", "after": ["made"]}, )" + rest)),
            "none: forward on rank 0 reads the memory that to_empty gave cos_sin: nothing computes it on this rank");
  EXPECT_EQ(cause_in(answer_to(made + R"(, {"do": "build_cache", "name": "before", "after": ["made"]}, )" + rest)),
            "built-on-meta");
}

TEST(Judged, ABufferThatLosesItsValuesWasNotBuiltOnMeta) {
  const auto with = [](const std::string& events) {
    return cause_in(answer_to(R"({"do": "construct", "on": "meta", "name": "made"},
      {"do": "build_cache", "name": "built", "after": ["made"]}, {"do": "to_empty", "name": "empty", "after": ["built"]},
      {"do": "load_checkpoint", "name": "loaded", "after": ["empty"]})" +
                              events));
  };
  const std::string again = R"(, {"do": "to_empty", "name": "again", "after": ["loaded"]})";
  const std::string used = R"(, {"do": "forward", "after": [")";
  EXPECT_EQ(with(used + "loaded\"]}"), "clean");
  EXPECT_EQ(with(again + used + "again\"]}"), "values-lost-in-to-empty");
  const std::string loaded_again = R"(, {"do": "load_checkpoint", "name": "last", "after": ["again"]})";
  EXPECT_EQ(with(again + loaded_again + used + "last\"]}"), "clean");
}

TEST(Checkpoint, OfAShortDtypeRoundsTheTable) {
  const std::string load = std::string(build) + R"(, {"name": "load", "do": "load_checkpoint", "after": ["build"])";
  EXPECT_EQ(cause_in(answer_to(load + R"(}, )" + forward)), "clean");
  EXPECT_EQ(cause_in(answer_to(load + R"(, "dtype": "f32"}, )" + forward)), "clean");
  EXPECT_EQ(cause_in(answer_to(load + R"(, "dtype": "bf16"}, )" + forward)), "table-cast");
  EXPECT_EQ(cause_in(answer_to(load + R"(, "dtype": "bf16", "assign": true}, )" + forward)), "table-cast");
  EXPECT_EQ(cause_in(answer_to(load + R"(, "dtype": "bf16"}, )" + forward,
                               R"("cos_sin": {"persistent": true, "dtype": "bf16"})")),
            "clean");
}

TEST(ZeroInit, RoundsWhatIsNotMadeOfIntegers) {
  const auto plan = [](const char* options) {
    return fmt::format(R"({{"do": "enter_zero_init", "deepspeed": "0.9.4"}},
        {{"name": "build", "do": "build_cache", "after": ["enter_zero_init"]{}}},
        {{"do": "exit_zero_init", "after": ["build"]}}, {{"do": "forward", "after": ["exit_zero_init"]}})",
                       options);
  };
  const char* const rows = R"("cos_sin": {"rows": 4096})";
  EXPECT_EQ(cause_in(answer_to(plan(""), rows)), "dtype-forced-by-zero-init");
  EXPECT_EQ(cause_in(answer_to(plan(R"(, "from_integers": true)"), rows)), "clean");
}

// Both casts round the table; the first one is blamed, and the minimal plan has it.
TEST(Minimal, KeepsTheEventThatIsBlamed) {
  const PlanAnswer answer = answer_to(std::string(build) + R"(,
      {"name": "half", "do": "cast", "dtype": "f16", "after": ["build"]},
      {"name": "bfloat16", "do": "cast", "dtype": "bf16", "after": ["half"]},
      {"do": "forward", "after": ["bfloat16"]})");
  ASSERT_EQ(cause_in(answer), "table-cast");
  EXPECT_EQ(answer.findings[0].cause->text, "half rounds cos_sin further than the plan wants it");
  EXPECT_EQ(answer.findings[0].minimal_case, "1 rank: build -> half -> forward");
}

// Of a buffer of frequencies it is not said that it is computed from some.
TEST(Frequencies, ThatAreCastAreRoundedThemselves) {
  const auto answer_with = [](const std::string& dtype) {
    return answer_to(std::string(build) + R"(, {"name": "half", "do": "cast", "dtype": ")" + dtype +
                         R"(", "after": ["build"]}, {"do": "forward", "positions": 16, "after": ["half"]})",
                     R"("inv_freq": {"holds": "frequencies"})");
  };
  EXPECT_EQ(cause_in(answer_with("f32")), "clean");
  const PlanAnswer answer = answer_with("bf16");
  ASSERT_EQ(cause_in(answer), "cast-then-regrown");
  EXPECT_EQ(answer.findings[0].cause->text, "half rounds inv_freq, and the angles are computed from it afterwards");
}

}  // namespace
}  // namespace ropewalk::init
