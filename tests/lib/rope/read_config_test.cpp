#include "lib/rope/read_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/rope/words.h"
#include "reference/rope_table.h"
#include "tests/lib/message.h"

namespace ropewalk::rope {

using reference::rope_attention;

namespace {

RopeConfig read(const std::string& text) {
  return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json"));
}
RopeFormula one(const std::string& text) {
  const RopeConfig config = read(text);
  EXPECT_EQ(config.entries.size(), 1u);
  return config.entries.front().formula;
}
std::string refused(const std::string& text) {
  return message_of([&] { read(text); });
}

TEST(ReadRopeConfig, ReadsTheOldForm) {
  const RopeFormula f = one(R"({"hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072,
    "rope_theta": 500000.0, "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192, "rope_type": "llama3"}})");
  EXPECT_EQ(in_words(f), "llama3 rope: theta 500000, 64 pairs, factor 8 (low 1, high 4, original length 8192)");
  EXPECT_EQ(one(R"({"head_dim": 64, "rope_scaling": {"type": "linear", "factor": 2}})").type, RopeType::Linear);
}

TEST(ReadRopeConfig, ReadsTheNewFormAlsoByLayerType) {
  EXPECT_EQ(one(R"({"head_dim": 64, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}})").theta, 1e6);
  const RopeConfig config = read(R"({"head_dim": 256, "rope_parameters": {
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})");
  ASSERT_EQ(config.entries.size(), 2u);
  EXPECT_EQ(config.entries[0].layer_type, "full_attention");
  EXPECT_EQ(config.entries[0].formula.factor, 8);
  EXPECT_EQ(config.entries[1].formula.theta, 10000);
}

TEST(ReadRopeConfig, ReadsGemma3InTheOldForm) {
  const RopeConfig config = read(R"({"head_dim": 256, "rope_theta": 1000000, "rope_local_base_freq": 10000,
    "rope_scaling": {"rope_type": "linear", "factor": 8}})");
  ASSERT_EQ(config.entries.size(), 2u);
  EXPECT_EQ(config.entries[0].formula.type, RopeType::Linear);
  EXPECT_EQ(config.entries[1].formula.type, RopeType::Default);
  EXPECT_EQ(config.entries[1].formula.theta, 10000);
}

TEST(ReadRopeConfig, ReadsNamesOfOtherModels) {
  const RopeFormula neox =
      one(R"({"hidden_size": 6144, "num_attention_heads": 64, "rotary_pct": 0.25, "rotary_emb_base": 10000})");
  EXPECT_EQ(neox.head_dim, 96);
  EXPECT_EQ(neox.rotary_dim, 24);
  const std::string factors = "[1,1,1,1]";
  const RopeFormula phi =
      one(R"({"head_dim": 8, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
    "rope_scaling": {"type": "su", "short_factor": )" +
          factors + R"(, "long_factor": )" + factors + "}}");
  EXPECT_EQ(phi.type, RopeType::LongRope);
  EXPECT_EQ(phi.original_positions, 4096);
  EXPECT_EQ(phi.factor, 32);
  const RopeFormula qwen =
      one(R"({"head_dim": 128, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})");
  EXPECT_EQ(qwen.axes, RopeAxes::Sections);
  EXPECT_EQ(one(R"({"text_config": {"head_dim": 64, "rope_theta": 3e5}})").theta, 3e5);
}

TEST(ReadRopeConfig, KnowsTheAxesOfModels) {
  const RopeFormula ernie = one(R"({"head_dim": 128, "model_type": "ernie4_5_vl_moe_text",
    "rope_parameters": {"rope_type": "default", "mrope_section": [22, 22, 20]}})");
  EXPECT_EQ(ernie.axes, RopeAxes::Ernie);
  EXPECT_NE(in_words(ernie).find("22+22+20"), std::string::npos);
  const RopeFormula tower = one(R"({"embed_dim": 1280, "hidden_size": 3584, "num_heads": 16,
    "rope_parameters": {"rope_type": "axial", "rope_theta": 10000}})");
  EXPECT_EQ(tower.head_dim, 80);
  EXPECT_EQ(tower.axes, RopeAxes::Vision);
  const RopeConfig both = read(R"({"head_dim": 128, "rope_theta": 1e6, "vision_config":
    {"model_type": "qwen2_vl", "patch_size": 14, "embed_dim": 1280, "hidden_size": 3584, "num_heads": 16}})");
  ASSERT_EQ(both.entries.size(), 2u);
  EXPECT_EQ(both.entries[0].formula.theta, 1e6);
  EXPECT_EQ(both.entries[1].part, "vision");
  EXPECT_TRUE(both.entries[1].sure);
  EXPECT_TRUE(both.entries[1].also.empty());
  EXPECT_EQ(both.entries[1].formula.axes, RopeAxes::Vision);
}

TEST(ReadRopeConfig, KnowsXPosAndTheTemperature) {
  const RopeFormula xpos =
      one(R"({"head_dim": 64, "rotary_emb_base": 10000, "rotary_emb_fraction": 0.5, "rotary_emb_scale_base": 512})");
  EXPECT_EQ(xpos.xpos_scale_base, 512);
  EXPECT_EQ(xpos.rotary_dim, 32);
  EXPECT_NE(in_words(xpos).find("XPos of base 512"), std::string::npos);
  const RopeFormula warm = one(R"({"head_dim": 64, "max_position_embeddings": 16384, "rope_parameters":
    {"rope_type": "yarn", "factor": 16, "original_max_position_embeddings": 1024, "llama_4_scaling_beta": 0.1}})");
  EXPECT_EQ(warm.temperature_beta, 0.1);
  EXPECT_NE(in_words(warm).find("queries times 1 + 0.1 ln(1 + floor(position / 1024))"), std::string::npos);
}

TEST(ReadRopeConfig, HeadDimBeatsHiddenSizeAndThetaHasADefault) {
  const RopeFormula f = one(R"({"hidden_size": 4096, "num_attention_heads": 32, "head_dim": 64})");
  EXPECT_EQ(f.head_dim, 64);
  EXPECT_EQ(f.theta, 10000);
  EXPECT_EQ(f.type, RopeType::Default);
}

TEST(ReadRopeConfig, YarnTakesItsFactorFromTheLengths) {
  const RopeFormula f = one(R"({"head_dim": 64, "max_position_embeddings": 32768,
    "rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 8192}})");
  EXPECT_EQ(f.factor, 4);
}

// DeepSeek's latent attention: the factor is a part of head_dim, and qk_rope_head_dim has it already.
TEST(ReadRopeConfig, AFactorIsNoPartOfTheRotatedPart) {
  const RopeFormula f = one(R"({"head_dim": 512, "qk_rope_head_dim": 64, "partial_rotary_factor": 0.125})");
  EXPECT_EQ(f.rotary_dim, 64);
  EXPECT_EQ(one(R"({"hidden_size": 2560, "num_attention_heads": 32, "attention_head_dim": 160,
                    "rope_theta": 10000})")
                .rotary_dim,
            160);
}

TEST(ReadRopeConfig, LayersMayHaveWidthsOfTheirOwn) {
  const RopeConfig config = read(R"({"head_dim": 256, "layer_types": ["sliding_attention", "full_attention"],
    "per_layer_config": {"01": {"head_dim": 512}}, "rope_parameters": {
    "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})");
  ASSERT_EQ(config.entries.size(), 2u);
  EXPECT_EQ(config.entries[0].formula.pairs(), 256);
  EXPECT_EQ(config.entries[1].formula.pairs(), 128);
}

TEST(ReadRopeConfig, EachModelInsideIsAPart) {
  const RopeConfig config = read(R"({"text_config": {"head_dim": 128, "rope_theta": 5e5},
    "audio_config": {"head_dim": 64, "rope_theta": 2e4}, "vision_config": {"hidden_size": 768, "num_attention_heads": 16,
    "patch_size": 14, "rope_parameters": {"rope_type": "axial", "rope_theta": 1e4}},
    "projector_config": {"hidden_size": 100}})");
  ASSERT_EQ(config.entries.size(), 3u);
  EXPECT_EQ(config.entries[0].part, "");
  EXPECT_EQ(config.entries[1].part, "audio");
  EXPECT_EQ(config.entries[1].formula.theta, 2e4);
  EXPECT_EQ(config.entries[2].formula.axes, RopeAxes::Vision);
}

// Wan's columns: time has what height and width leave. Hunyuan says the widths outright.
TEST(ReadRopeConfig, AxesMayHaveSeriesOfTheirOwn) {
  const RopeConfig wan = read(R"({"attention_head_dim": 128, "patch_size": [1, 2, 2], "rope_max_seq_len": 1024})");
  const auto& also = wan.entries[0].also;
  EXPECT_TRUE(std::any_of(also.begin(), also.end(), [](const RopeFormula& formula) {
    return formula.sections == std::vector<i64>{22, 21, 21} && formula.axes == RopeAxes::Series;
  }));
  const RopeFormula hunyuan = one(R"({"attention_head_dim": 128, "rope_axes_dim": [16, 56, 56], "rope_theta": 256})");
  EXPECT_EQ(hunyuan.sections, (std::vector<i64>{8, 28, 28}));
}

// Heads too narrow for axes.
TEST(ReadRopeConfig, NarrowTowersHaveOneAxis) {
  EXPECT_EQ(one(R"({"head_dim": 2, "patch_size": 4, "rope_parameters": {"rope_type": "axial"}})").rotary_dim, 2);
  EXPECT_TRUE(read(R"({"head_dim": 2, "rope_theta": 10, "rope_axes_dim": [0, 1]})").entries.empty());
}

// An odd width, or none: nothing is wrong with the file, but no formula that is known here can be made of it.
TEST(ReadRopeConfig, WhatMakesNoFormulaIsANote) {
  const RopeConfig odd = read(R"({"hidden_size": 4096, "num_attention_heads": 96, "rope_parameters":
    {"rope_type": "default", "partial_rotary_factor": 0.5}})");
  EXPECT_TRUE(odd.entries.empty());
  ASSERT_EQ(odd.notes.size(), 1u);
  EXPECT_NE(odd.notes[0].find("rotary_dim is 21"), std::string::npos);
  EXPECT_FALSE(one(R"({"model_type": "efficientloftr", "hidden_size": 256, "num_attention_heads": 8, "rope_parameters":
    {"rope_type": "default", "partial_rotary_factor": 4.0}})")
                   .rotary_dim != 128);
}

TEST(ReadRopeConfig, AKeyThatIsNotKnownIsANote) {
  const RopeConfig config = read(R"({"head_dim": 64, "rope_theta": 1e4, "max_position_embeddings": 4096,
    "rope_scaling": {"rope_type": "yarn", "factor": 4, "finetuned": true}})");
  EXPECT_EQ(config.notes, std::vector<std::string>{"rope_scaling.finetuned is not known here, and was not read"});
}

TEST(ReadRopeConfig, SaysWhichFieldCannotBe) {
  EXPECT_EQ(refused(R"({"head_dim": 64, "partial_rotary_factor": 2.0})"),
            "config.json: partial_rotary_factor: expected a part of the head, at most 1, found 2.0");
  EXPECT_EQ(refused(R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 0})"),
            "config.json: num_attention_heads: expected at least 1, found 0");
}

TEST(ReadRopeConfig, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refused(R"({"head_dim": 64, "rope_scaling": {"rope_type": "yarn", "factro": 4}})"),
            "config.json: rope_scaling: unknown key \"factro\", did you mean \"factor\"?");
  EXPECT_EQ(refused(R"({"head_dim": 64, "rope_scaling": {"rope_type": "yaarn", "factor": 4}})"),
            "config.json: rope_scaling.rope_type: unknown type \"yaarn\", did you mean \"yarn\"?");
  EXPECT_EQ(refused(R"({"head_dim": 64, "rope_scaling": {"rope_type": "linear"}})"),
            "config.json: rope_scaling: the key \"factor\" is missing; type linear needs it");
}

// Fields that a configuration leaves out have the defaults of its class.
TEST(ReadRopeConfig, FamiliesHaveDefaults) {
  const auto words = [](const std::string& family, const std::string& rest) {
    return in_words(
        one(R"({"model_type": ")" + family + R"(", "hidden_size": 3072, "num_attention_heads": 16)" + rest + "}"));
  };
  EXPECT_EQ(words("llama", ""), "default rope: theta 10000, 96 pairs");
  EXPECT_EQ(words("gemma", ""), "default rope: theta 10000, 128 pairs");
  EXPECT_EQ(words("gemma", R"(, "head_dim": 64)"), "default rope: theta 10000, 32 pairs");
  EXPECT_EQ(words("phi", ""), "default rope: theta 10000, 48 pairs of 96 columns in a head of 192");
  EXPECT_EQ(words("phi", R"(, "partial_rotary_factor": 1)"), "default rope: theta 10000, 96 pairs");
  EXPECT_EQ(words("persimmon", ""), "default rope: theta 10000, 48 pairs of 96 columns in a head of 192");
  EXPECT_EQ(words("persimmon", R"(, "rope_theta": 500)").substr(0, 23), "default rope: theta 500");
  EXPECT_EQ(words("chatglm", R"(, "kv_channels": 128, "rope_ratio": 50)"),
            "default rope: theta 500000, 32 pairs of 64 columns in a head of 128");
  EXPECT_EQ(words("llama", R"(, "rope_ratio": 50)"), "default rope: theta 10000, 96 pairs");
  const auto sure = [](const std::string& fields) { return read("{" + fields + "}").entries.front().sure; };
  const std::string widths = R"(, "hidden_size": 512, "num_attention_heads": 8)";
  EXPECT_TRUE(sure(R"("model_type": "llama")" + widths));
  EXPECT_FALSE(sure(R"("model_type": "something")" + widths));
  // A default that scales is not known here.
  EXPECT_FALSE(sure(R"("model_type": "gpt_oss")" + widths));
  EXPECT_TRUE(sure(R"("model_type": "esm", "position_embedding_type": "rotary")" + widths));
  EXPECT_FALSE(sure(R"("model_type": "esm", "position_embedding_type": "absolute")" + widths));
}

TEST(ReadRopeConfig, RefusesContradictions) {
  EXPECT_EQ(refused(R"({"head_dim": 64, "rope_scaling": {"rope_type": "linear", "type": "dynamic", "factor": 4}})"),
            "config.json: rope_scaling.type: \"dynamic\" contradicts rope_scaling.rope_type, which is \"linear\"");
  EXPECT_EQ(refused(R"({"head_dim": 64, "rope_theta": 1e4, "rope_parameters": {"rope_theta": 1e6}})"),
            "config.json: rope_parameters.rope_theta: 1000000 contradicts rope_theta, which is 10000");
  EXPECT_EQ(refused(R"({"head_dim": 64, "rotary_pct": 0.5, "partial_rotary_factor": 0.25})"),
            "config.json: rotary_pct: 0.5 contradicts partial_rotary_factor, which is 0.25");
  EXPECT_NE(refused(R"({"head_dim": 64, "rope_theta": 0})").find("rope_theta: expected a number above 0"),
            std::string::npos);
  EXPECT_NE(refused(R"({"head_dim": 64, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})")
                .find("adds up to 64, expected 32"),
            std::string::npos);
}

// The factor that is written, for transformers 5; the ratio of the lengths for older ones and vLLM.
TEST(ReadRopeConfig, LongropeIsScaledByItsFactorOrByItsLengths) {
  const auto read_with = [](const std::string& field) {
    return read(R"({"head_dim": 4, "max_position_embeddings": 512, "original_max_position_embeddings": 128,
      "rope_scaling": {"type": "longrope", "short_factor": [1, 1], "long_factor": [2, 2])" +
                field + "}}")
        .entries.front();
  };
  const RopeConfig::Entry both = read_with(R"(, "factor": 8)");
  EXPECT_DOUBLE_EQ(rope_attention(both.formula), std::sqrt(1 + std::log(8) / std::log(128)));
  ASSERT_EQ(both.also.size(), 1u);
  EXPECT_DOUBLE_EQ(rope_attention(both.also[0]), std::sqrt(1 + std::log(4) / std::log(128)));
  for (const std::string field : {"", R"(, "factor": 4)", R"(, "factor": 8, "attention_factor": 1.1)"})
    EXPECT_TRUE(read_with(field).also.empty()) << field;
  EXPECT_DOUBLE_EQ(rope_attention(read_with("").formula), rope_attention(both.also[0]));
}

TEST(ReadRopeConfig, DynamicIsMeasuredByTheModelsLength) {
  const auto read_with = [](const std::string& fields) {
    return one(R"({"head_dim": 64, )" + fields +
               R"("rope_scaling": {"type": "dynamic", "factor": 2, "original_max_position_embeddings": 256}})")
        .trained_positions();
  };
  EXPECT_EQ(read_with(R"("max_position_embeddings": 512, )"), 512);
  EXPECT_EQ(read_with(""), 256);
  EXPECT_EQ(read_with(R"("model_type": "bailing_hybrid", "model_max_length": 1024, )"), 1024);
  EXPECT_EQ(read_with(R"("model_type": "llama", "model_max_length": 1024, )"), 256);
}

TEST(ReadRopeConfig, APlaceWithoutANameHasNone) {
  const RopeConfig root = read(R"({"head_dim": 21, "vision_config": {"head_dim": 23}})");
  ASSERT_EQ(root.notes.size(), 2u);
  EXPECT_TRUE(root.notes[0].starts_with("rotary_dim is 21")) << root.notes[0];
  EXPECT_TRUE(root.notes[1].starts_with("vision_config: rotary_dim is 23")) << root.notes[1];
}

}  // namespace
}  // namespace ropewalk::rope
