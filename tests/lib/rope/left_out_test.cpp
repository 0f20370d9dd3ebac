// What a file holds and nobody can judge is said.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/lib/rope/frequency_dump.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 plain_rows = 64, plain_pairs = 16;

// A file with the tensors that a name says, of right values: "cos", "sin", "inv_freq".
Dump dump_with(const std::vector<std::string>& names, const std::string& module = "") {
  const FloatTable table = float_table({plain_formula(2 * plain_pairs), plain_rows}, plain_rows);
  DumpWriter writer("t.safetensors");
  for (const std::string& name : names) {
    if (name == "inv_freq")
      writer.add_tensor(module + name, Dtype::F32, {plain_pairs}, series(2 * plain_pairs, 1e4));
    else
      writer.add_tensor(module + name, Dtype::F32, {plain_rows, plain_pairs},
                        name == "cos" ? table.cosine : table.sine);
  }
  return writer.finish();
}

std::vector<std::string> left_open(const std::vector<Dump>& dumps) {
  std::vector<std::string> open;
  for (const auto& [what, reason] :
       check_dumps(dumps, config_for(plain_formula(2 * plain_pairs, plain_rows)), 1).not_judged)
    open.push_back(what + ": " + reason);
  return open;
}

TEST(LeftOut, TablesOfDtypesWithoutValuesAreNotRun) {
  Dump dump = dump_with({"sin"});
  dump.unusable = {{"cos", "i32[64, 16]"}, {"model.inv_freq", "f8e4m3[16]"}, {"weight", "i8[4]"}};
  EXPECT_EQ(left_open({dump}),
            (std::vector<std::string>{"cos: it is i32[64, 16]: elements of f16, bf16, f32, f64 or c64 are compared",
                                      "model.inv_freq: it is f8e4m3[16]: elements of f16, bf16, f32, f64 or c64 are "
                                      "compared"}));
  EXPECT_TRUE(left_open({dump_with({"cos", "sin", "inv_freq"})}).empty());
}

TEST(LeftOut, OneColumnIsNoTable) {
  DumpWriter writer("t.safetensors");
  writer.add_tensor("cos", Dtype::F32, {4, 1}, {1, 1, 1, 1});
  EXPECT_EQ(left_open({writer.finish()}), std::vector<std::string>{"cos: it has 1 column, and a table has 2 or more"});
}

TEST(LeftOut, ARankWithOneFunctionIsNotRun) {
  const Dump both = dump_with({"cos", "sin"}), half = dump_with({"cos"});
  EXPECT_EQ(left_open({both, half}),
            std::vector<std::string>{"cos/sin on rank 1: rank 1 has cos without its sin, rank 0 has both"});
  EXPECT_EQ(left_open({half, both}),
            std::vector<std::string>{"cos/sin on rank 0: rank 0 has cos without its sin, rank 1 has both"});
  EXPECT_TRUE(left_open({both, both}).empty());
  EXPECT_TRUE(left_open({half, half}).empty());
}

TEST(LeftOut, ATableThatSomeRankLacksIsANote) {
  const auto notes = [](const std::vector<Dump>& dumps) {
    return check_dumps(dumps, config_for(plain_formula(2 * plain_pairs, plain_rows)), 1).notes;
  };
  const Dump more = dump_with({"cos", "sin", "inv_freq"}), less = dump_with({"cos", "sin"});
  EXPECT_EQ(std::ranges::count(notes({more, less}), "rank 1 has no inv_freq, which rank 0 has"), 1);
  EXPECT_EQ(std::ranges::count(notes({more, more}), "rank 1 has no inv_freq, which rank 0 has"), 0);
  // Stages of a pipeline have no layer in common.
  for (const std::string& note :
       notes({dump_with({"cos", "sin"}, "layers.0."), dump_with({"cos", "sin"}, "layers.1.")}))
    EXPECT_EQ(note.find("which rank"), note.npos) << note;
}

TEST(LeftOut, NumbersThatAreNoneAreNamedBesideAnotherCause) {
  RopeFormula other = plain_formula(2 * plain_pairs);
  other.theta = 5e5;
  for (const bool damaged : {false, true}) {
    FloatTable table = float_table({other, 256}, 256);
    if (damaged) std::fill_n(table.cosine.begin() + 5 * plain_pairs, plain_pairs, NAN);
    DumpWriter writer("t.safetensors");
    writer.add_tensor("cos", Dtype::F32, {256, plain_pairs}, table.cosine);
    writer.add_tensor("sin", Dtype::F32, {256, plain_pairs}, table.sine);
    const CacheAnswer answer = check_dumps({writer.finish()}, config_for(plain_formula(2 * plain_pairs, 256)), 1);
    ASSERT_EQ(only_cause(answer), "wrong-theta");
    const std::string besides = "; besides, 16 elements are NaN or infinite, first cos[5, 0]";
    EXPECT_EQ(answer.findings[0].cause->text.find(besides) != std::string::npos, damaged)
        << answer.findings[0].cause->text;
  }
}

// What says a base under another name is no configuration whose base may be assumed.
TEST(LeftOut, ABaseUnderAnUnknownNameLeavesTheFormulaOpen) {
  const auto said = [](const std::string& field) {
    return outcome(
        judge_frequencies(R"({"model_type": "own", "head_dim": 32, "max_position_embeddings": 64)" + field + "}",
                          {{"r", series(32, 1e4)}}));
  };
  EXPECT_EQ(said(""), "clean");
  EXPECT_EQ(said(R"(, "rope_theta": 10000, "memory_rope_theta": 1000000)"), "clean");
  EXPECT_EQ(said(R"(, "rope_embedding_base": 1000000)"), "not run");
  EXPECT_EQ(said(R"(, "rotary": {"base": 1000000, "type": "dynamic"})"), "not run");
}

// ChatGLM's module registers inv_freq and computes its table by other frequencies.
TEST(LeftOut, FrequenciesThatTheModelDoesNotUseAreNotRun) {
  const auto of = [](const std::string& family) {
    return outcome(judge_frequencies(R"({"model_type": ")" + family + R"(", "head_dim": 64, "rope_theta": 5000000,
                                       "max_position_embeddings": 64})",
                                     {{"r", series(64, 1e4)}}));
  };
  EXPECT_EQ(of("chatglm"), "not run");
  EXPECT_EQ(of("llama"), "wrong-theta");
}

// What a forward returns is [batch, positions, columns], or has one axis more: of heads, or of mrope's three.
TEST(LeftOut, WhatAForwardReturnsMayBeShort) {
  const FloatTable table = float_table({plain_formula(2 * plain_pairs), 8}, 8);
  const auto cause = [&](const Shape& shape) {
    const i64 copies = element_count(shape) / (8 * plain_pairs);
    DumpWriter writer("t.safetensors");
    for (const bool is_cos : {true, false}) {
      std::vector<float> values;
      const auto& once = is_cos ? table.cosine : table.sine;
      for (i64 n = 0; n < copies; ++n) values.insert(values.end(), once.begin(), once.end());
      writer.add_tensor(is_cos ? "cos" : "sin", Dtype::F32, shape, values);
    }
    return only_cause(check_dumps({writer.finish()}, config_for(plain_formula(2 * plain_pairs, plain_rows)), 1));
  };
  EXPECT_EQ(cause({1, 8, plain_pairs}), "");
  EXPECT_EQ(cause({2, 1, 8, plain_pairs}), "");
  EXPECT_EQ(cause({3, 2, 8, plain_pairs}), "");
  EXPECT_EQ(cause({8, plain_pairs}), "too-few-rows");
  EXPECT_EQ(cause({1, 1, 8, plain_pairs}), "too-few-rows");
}

}  // namespace
}  // namespace ropewalk::rope::testing
