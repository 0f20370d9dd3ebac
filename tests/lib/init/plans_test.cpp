// The plans that come with the suite: broken forms are found with their cause and rule, repaired forms are clean.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "kernels/kernels.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"

namespace ropewalk::init {
namespace {

std::string path_of(const std::string& name) { return ROPEWALK_SOURCE_DIR "/lib/init/plans/" + name + ".json"; }

PlanAnswer answer_to_file(const std::string& name, std::optional<u32> ranks = std::nullopt) {
  return check_plan(read_plan_file(path_of(name), ranks), kernels::shipped_kernels());
}

struct Broken {
  const char* name;
  const char* cause;
  const char* rule;       // the first line of evidence
  bool some_good = true;  // orders
};

class BrokenPlan : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenPlan, IsFoundWithItsCauseAndRule) {
  const PlanAnswer answer = answer_to_file(GetParam().name);
  ASSERT_EQ(answer.findings.size(), 1u);
  const Finding& finding = answer.findings[0];
  EXPECT_EQ(finding.rule, Rule::InitOrder);
  ASSERT_TRUE(finding.cause);
  EXPECT_EQ(finding.cause->id, GetParam().cause);
  EXPECT_EQ(finding.cause->evidence.at(0), GetParam().rule);
  EXPECT_FALSE(finding.cause->advice.empty());
  EXPECT_EQ(answer.good.is_zero(), !GetParam().some_good);
  EXPECT_FALSE(finding.minimal_case.empty());
  EXPECT_FALSE(finding.evidence.empty());
  EXPECT_TRUE(finding.location && finding.location->line > 0);
}

INSTANTIATE_TEST_SUITE_P(
    Init, BrokenPlan,
    ::testing::Values(
        Broken{"litgpt.broken", "reset-skipped-after-to-empty",
               "bad exactly when to_empty comes after build_cache and no unconditional reset follows"},
        Broken{"torchtitan.broken", "scaling-lost-in-reset",
               "bad exactly when init_weights comes after seed_checkpoint"},
        Broken{"torchtitan-seed-checkpoint.broken", "unscaled-checkpoint",
               "bad exactly when seed_checkpoint comes after init_weights"},
        Broken{"deepspeed-0.9.3.broken", "class-defined-inside-zero-init",
               "bad exactly when import_rotary comes after enter_zero_init"},
        Broken{"deepspeed-arange.broken", "dtype-forced-by-zero-init",
               "bad exactly when exit_zero_init comes after build_cache"},
        Broken{"hugging-face-meta.broken", "built-on-meta",
               "bad exactly when to_empty comes after build_cache and no unconditional reset follows"},
        Broken{"hsdp-broadcast.broken", "broadcast-before-init", "bad in every order that the plan allows", false},
        Broken{"flat-broadcast.broken", "broadcast-before-init",
               "bad exactly when init_weights on rank 0 comes after broadcast"},
        Broken{"half-then-regrow.broken", "cast-then-regrown",
               "bad exactly when model.half() comes after build_cache and grow comes after model.half()"},
        Broken{"vllm-registry.broken", "shared-without-device",
               "bad exactly when get_rope on rank 1 comes after get_rope on rank 0", false},
        Broken{"growth-under-graph.broken", "stale-pointer-after-growth", "bad exactly when grow comes after capture"},
        Broken{"side-stream.broken", "missing-stream-wait", "bad exactly when build_cache comes after wait"},
        Broken{"fsdp2-casts-inputs.broken", "table-cast", "bad in every order that the plan allows", false},
        Broken{"fsdp1-buffer-dtype.broken", "table-cast", "bad exactly when shard comes after build_cache"},
        Broken{"rank-0-alone.broken", "built-on-meta",
               "bad in every order that the plan allows: to_empty comes, and no unconditional reset follows", false},
        Broken{"value-branch.broken", "built-on-meta", "bad in every order that the plan allows", false}),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& letter : name) {
        if (!isalnum(letter)) letter = '_';
      }
      return name;
    });

TEST(Plans, RepairedFormsAreClean) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ROPEWALK_SOURCE_DIR "/lib/init/plans")) {
    const std::string name = entry.path().stem().string();
    if (name.ends_with(".broken")) continue;
    ++count;
    const PlanAnswer answer = answer_to_file(name);
    EXPECT_TRUE(answer.findings.empty()) << name << ": " << answer.findings[0].message;
    EXPECT_EQ(answer.orders, answer.good) << name;
    EXPECT_FALSE(answer.orders.is_zero()) << name;
    EXPECT_FALSE(answer.cut) << name;
  }
  EXPECT_GE(count, 18u);
}

TEST(Plans, FoundingOnesHoldForOneToEightRanks) {
  for (u32 ranks = 1; ranks <= 8; ++ranks) {
    for (const Broken& plan :
         {Broken{"litgpt", "reset-skipped-after-to-empty", "build_cache and no unconditional reset"},
          Broken{"torchtitan", "scaling-lost-in-reset", "init_weights comes after seed_checkpoint"},
          Broken{"deepspeed-0.9.3", "class-defined-inside-zero-init", "after enter_zero_init"}}) {
      const PlanAnswer broken = answer_to_file(std::string(plan.name) + ".broken", ranks);
      ASSERT_EQ(broken.findings.size(), 1u) << plan.name << " on " << ranks;
      EXPECT_EQ(broken.findings[0].cause->id, plan.cause);
      EXPECT_NE(broken.findings[0].cause->evidence[0].find(plan.rule), std::string::npos);
      EXPECT_FALSE(broken.good.is_zero());
      const PlanAnswer repaired = answer_to_file(std::string(plan.name) + ".repaired", ranks);
      EXPECT_TRUE(repaired.findings.empty()) << plan.name << " on " << ranks;
    }
  }
}

TEST(Plans, WhatIsReadIsExecutedOnTheMachine) {
  const PlanAnswer answer = answer_to_file("litgpt.broken");
  const std::vector<std::string>& evidence = answer.findings.at(0).cause->evidence;
  EXPECT_TRUE(std::any_of(evidence.begin(), evidence.end(), [](const std::string& line) {
    return line.find("uninitialized-read") != std::string::npos &&
           line.find("kernels/rotary/apply") != std::string::npos;
  }));
  EXPECT_GT(answer.launches, 0u);
}

// An exception that no cause is named for is reported with its rule all the same.
TEST(Plans, PersistenceLostInTracingRaises) {
  const PlanAnswer answer = answer_to_file("persistence-lost.broken");
  ASSERT_EQ(answer.findings.size(), 1u);
  const Finding& finding = answer.findings[0];
  EXPECT_FALSE(finding.cause);
  EXPECT_NE(finding.message.find("raises: the checkpoint lacks the persistent buffer"), std::string::npos);
  EXPECT_EQ(finding.evidence.at(0), "bad exactly when load_checkpoint comes after trace");
  EXPECT_FALSE(answer.good.is_zero());
}

TEST(Plans, AStalePointerIsUsedAfterItsMemoryWasFreed) {
  const PlanAnswer answer = answer_to_file("growth-under-graph.broken");
  const std::vector<std::string>& evidence = answer.findings.at(0).cause->evidence;
  EXPECT_TRUE(std::any_of(evidence.begin(), evidence.end(), [](const std::string& line) {
    return line.find("use-after-free: reads cos[0, 0] after it was freed at kernels/rotary/apply") != std::string::npos;
  }));
}

TEST(Plans, LateClassesAreFineBeforeAndAfterTheVersionsThatLook) {
  EXPECT_TRUE(answer_to_file("deepspeed-0.9.0.late-class").findings.empty());
  EXPECT_TRUE(answer_to_file("deepspeed-0.10.late-class").findings.empty());
}

}  // namespace
}  // namespace ropewalk::init
