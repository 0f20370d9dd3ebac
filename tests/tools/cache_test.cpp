#include <gtest/gtest.h>

#include <fstream>

#include "tests/tools/program.h"

namespace ropewalk::testing {
namespace {

const std::string config = " --config tests/data/rope/config.json";

TEST(CacheCommand, AHealthyTableIsClean) {
  const ProgramResult result = rope_check("cache tests/data/rope/rank0.npy" + config);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

// Options that are not given say something, too.
TEST(CacheCommand, OptionsSayTheWholeFormula) {
  const std::string table = "cache tests/data/rope/rank1.npy";
  EXPECT_EQ(rope_check(table + " --head-dim 16").exit_code, 0);
  EXPECT_EQ(rope_check(table + " --head-dim 32").exit_code, 1);
  // The whole head turns in the table.
  EXPECT_EQ(rope_check(table + " --head-dim 16 --rotary-dim 16").exit_code, 0);
  EXPECT_EQ(rope_check(table + " --head-dim 16 --rotary-dim 8").exit_code, 1);
  EXPECT_EQ(rope_check("cache tests/data/rope/rank0.npy --head-dim 16").exit_code, 1);
}

// A cache for shorter texts than the model takes.
TEST(CacheCommand, ALengthBesideAConfigurationIsThatOfTheTable) {
  const std::string table = "cache tests/data/rope/rank0.npy" + config;
  EXPECT_EQ(rope_check(table + " --max-length 200").exit_code, 0);
  const Reported longer = rope_check_report(table + " --max-length 512");
  EXPECT_EQ(longer.program.exit_code, 1);
  ASSERT_EQ(longer.report.findings.size(), 1u);
  EXPECT_EQ(longer.report.findings[0].message, "table rank0 has 256 rows, the options say 512 positions");
  EXPECT_EQ(rope_check(table + " --theta 5e5").exit_code, 2);
}

TEST(CacheCommand, AnOddRankIsFound) {
  const Reported reported = rope_check_report("cache tests/data/rope/rank0.npy tests/data/rope/rank1.npy" + config);
  EXPECT_EQ(reported.program.exit_code, 1);
  ASSERT_EQ(reported.report.findings.size(), 1u);
  EXPECT_EQ(reported.report.findings[0].rule, Rule::RankMismatch);
  ASSERT_TRUE(reported.report.findings[0].cause);
  EXPECT_EQ(reported.report.findings[0].cause->id, "scaling-missing");
  EXPECT_EQ(reported.report.summary.cases, 2u);
}

// Which of two ranks is right nobody says, but that they differ.
TEST(CacheCommand, RanksAreComparedWithoutAConfiguration) {
  const Reported reported = rope_check_report("cache tests/data/rope/rank0.npy tests/data/rope/rank1.npy");
  EXPECT_EQ(reported.program.exit_code, 1);
  ASSERT_EQ(reported.report.findings.size(), 1u);
  EXPECT_EQ(reported.report.findings[0].rule, Rule::RankMismatch);
  EXPECT_EQ(reported.report.findings[0].cause->id, "rank-differs");
  EXPECT_EQ(rope_check("cache tests/data/rope/rank0.npy tests/data/rope/rank0.npy").exit_code, 0);
}

// A table of a tower for which the configuration has no formula is neither right nor wrong.
TEST(CacheCommand, WhatTheConfigurationLeavesOpenIsExit3) {
  const std::string path = scratch("open.json");
  std::ofstream(path) << R"({"text_config": {"head_dim": 64, "rope_theta": 1e6}, "vision_config":
      {"model_type": "x", "patch_size": 14, "hidden_size": 256, "num_attention_heads": 16}})";
  const ProgramResult result = rope_check("cache tests/data/rope/rank1.npy --config '" + path + "'");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const ProgramResult open = rope_check("cache tests/data/rope/rank0.npy --config '" + path + "'");
  EXPECT_EQ(open.exit_code, 3) << open.output << open.errors;
}

TEST(CacheCommand, OptionsSayTheFormulaToo) {
  EXPECT_EQ(rope_check("cache tests/data/rope/rank1.npy --theta 10000 --head-dim 16").exit_code, 0);
  EXPECT_EQ(rope_check("cache tests/data/rope/rank1.npy --theta 20000 --head-dim 16").exit_code, 1);
}

TEST(CacheCommand, BadInputIsOneLineAndExit2) {
  const auto refused = [](const std::string& arguments) {
    const ProgramResult result = rope_check("cache " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.errors;
  };
  EXPECT_EQ(refused("tests/data/rope/rank1.npy --rope-type yarrn --head-dim 16"),
            "rope-check: error: options: rope_parameters.rope_type: unknown type \"yarrn\", did you mean \"yarn\"?\n");
  EXPECT_EQ(refused("tests/data/rope/config.json"),
            "rope-check: error: tests/data/rope/config.json: raw bytes tell neither shape nor dtype: give --shape and "
            "--dtype\n");
  EXPECT_EQ(
      refused("tests/data/rope/rank1.npy --dtype c64"),
      "rope-check: error: --dtype: every file says it itself; it goes with raw bytes, and 16-bit integers in .npy\n");
  const std::string path = scratch("cut.safetensors");
  std::ofstream(path) << "{\"a\"";
  EXPECT_NE(refused("'" + path + "'").find("header length"), std::string::npos);
  EXPECT_NE(refused("").find("a dump is missing"), std::string::npos);
  // What the tensors are, where none of them holds values.
  const std::string header = R"({"cos":{"dtype":"F8_E8M0","shape":[4,8],"data_offsets":[0,32]},)"
                             R"("sin":{"dtype":"F32","shape":[0,8],"data_offsets":[32,32]}})";
  const u64 length = header.size();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&length), 8)
      << header << std::string(32, '\0');
  EXPECT_NE(refused("'" + path + "'")
                .find("holds no values of f16, bf16, f32, f64 or c64: cos is F8_E8M0[4, 8], sin is "
                      "f32[0, 8]\n"),
            std::string::npos);
}

}  // namespace
}  // namespace ropewalk::testing
