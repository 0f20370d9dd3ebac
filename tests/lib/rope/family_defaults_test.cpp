// Configurations as they stand on the hub, which leave out what their class knows.
#include "lib/rope/family_defaults.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/frequency_dump.h"

namespace ropewalk::rope::testing {
namespace {

constexpr const char* gemma3 = R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560,
  "model_type": "gemma3_text", "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})";

TEST(FamilyDefaults, Gemma3HasTwoBasesAndScalesOneOfThem) {
  const auto outcome_of = [](const std::vector<float>& global, const std::vector<float>& local) {
    return outcome(judge_frequencies(gemma3, {{"model.rotary_emb", global}, {"model.rotary_emb_local", local}}));
  };
  EXPECT_EQ(outcome_of(series(256, 1e6, 8), series(256, 1e4)), "clean");
  EXPECT_EQ(outcome_of(series(256, 1e6), series(256, 1e4)), "scaling-missing");
  EXPECT_EQ(outcome_of(series(256, 1e6, 8), series(256, 1e6)), "wrong-theta");
  EXPECT_EQ(outcome_of(series(256, 1e6, 8), series(256, 1e4, 8)), "scaling-unexpected");
}

TEST(FamilyDefaults, Olmo3ScalesTheLayersThatSeeEverything) {
  const std::string config = R"({"model_type": "olmo3", "hidden_size": 512, "num_attention_heads": 8,
    "rope_theta": 500000, "max_position_embeddings": 65536, "rope_scaling": {"rope_type": "linear", "factor": 8}})";
  const auto outcome_of = [&](double of_sliding) {
    return outcome(judge_frequencies(config, {{"rotary_embs.full_attention", series(64, 5e5, 8)},
                                              {"rotary_embs.sliding_attention", series(64, 5e5, of_sliding)}}));
  };
  EXPECT_EQ(outcome_of(1), "clean");
  EXPECT_EQ(outcome_of(8), "layer-type");
}

TEST(FamilyDefaults, MiMoHasABaseForWindows) {
  const std::string config = R"({"model_type": "mimo_v2_flash", "hidden_size": 4096, "num_attention_heads": 64,
    "head_dim": 192, "partial_rotary_factor": 0.334, "rope_theta": 5000000, "swa_rope_theta": 10000})";
  const auto outcome_of = [&](double local) {
    return outcome(judge_frequencies(
        config, {{"model.rotary_emb", series(64, 5e6)}, {"model.swa_rotary_emb", series(64, local)}}));
  };
  EXPECT_EQ(outcome_of(1e4), "clean");
  EXPECT_EQ(outcome_of(5e6), "layer-type");
}

TEST(FamilyDefaults, TheClassMayRotateAPart) {
  const std::string bamba = R"({"model_type": "bamba", "hidden_size": 4096, "num_attention_heads": 32,
    "attn_rotary_emb": 64, "rope_theta": 10000.0})";
  EXPECT_EQ(outcome(judge_frequencies(bamba, {{"rotary_emb", series(64, 1e4)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(bamba, {{"rotary_emb", series(128, 1e4)}})), "head-dim-for-rotary-dim");
  const std::string next = R"({"model_type": "qwen3_next", "hidden_size": 2048, "num_attention_heads": 16,
    "rope_theta": 10000000})";
  EXPECT_EQ(outcome(judge_frequencies(next, {{"rotary_emb", series(64, 1e7)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(next, {{"rotary_emb", series(256, 1e7)}})), "head-dim-for-rotary-dim");
}

TEST(FamilyDefaults, TheClassMaySayTheWidth) {
  const std::string zamba = R"({"model_type": "zamba2", "hidden_size": 512, "num_attention_heads": 16,
    "rope_theta": 10000})";
  EXPECT_EQ(outcome(judge_frequencies(zamba, {{"rotary_emb", series(64, 1e4)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(zamba, {{"rotary_emb", series(32, 1e4)}})), "wrong-rotary-dim");
  const std::string pali = R"({"model_type": "paligemma", "text_config": {"hidden_size": 2304,
    "model_type": "gemma2"}})";
  EXPECT_EQ(outcome(judge_frequencies(pali, {{"inv_freq", series(256, 1e4)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(pali, {{"inv_freq", series(288, 1e4)}})), "wrong-rotary-dim");
  const std::string llava = R"({"model_type": "llava_next", "text_config": {"model_type": "mistral",
    "rope_theta": 1000000.0}, "vision_config": {"hidden_size": 1024, "image_size": 336,
    "model_type": "clip_vision_model", "num_attention_heads": 16, "patch_size": 14}})";
  EXPECT_EQ(outcome(judge_frequencies(llava, {{"language_model.rotary_emb", series(128, 1e6)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(llava, {{"language_model.rotary_emb", series(128, 1e4)}})), "wrong-theta");
}

// What nobody said is no ground for a finding, also where a scaling is said.
TEST(FamilyDefaults, AnAssumedValueIsNoFinding) {
  const std::string scaled = R"({"model_type": "something", "head_dim": 64,
    "rope_scaling": {"type": "linear", "factor": 4}})";
  EXPECT_EQ(outcome(judge_frequencies(scaled, {{"rotary_emb", series(64, 1e4, 4)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(scaled, {{"rotary_emb", series(64, 1e6, 4)}})), "not run");
  const std::string whole = R"({"model_type": "something", "head_dim": 64, "rope_theta": 1e6)";
  EXPECT_EQ(outcome(judge_frequencies(whole + "}", {{"rotary_emb", series(64, 1e6)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(whole + "}", {{"rotary_emb", series(64, 1e4)}})), "wrong-theta");
  EXPECT_EQ(outcome(judge_frequencies(whole + "}", {{"rotary_emb", series(32, 1e6)}})), "not run");
  EXPECT_EQ(outcome(judge_frequencies(whole + R"(, "partial_rotary_factor": 1})", {{"rotary_emb", series(32, 1e6)}})),
            "wrong-rotary-dim");
}

// Versions of the class have different bases.
TEST(FamilyDefaults, ABaseOfOneVersionIsAssumed) {
  const std::string cohere = R"({"model_type": "cohere", "hidden_size": 512, "num_attention_heads": 8)";
  EXPECT_EQ(outcome(judge_frequencies(cohere + "}", {{"rotary_emb", series(64, 5e5)}})), "not run");
  EXPECT_EQ(outcome(judge_frequencies(cohere + R"(, "rope_theta": 10000})", {{"rotary_emb", series(64, 5e5)}})),
            "wrong-theta");
}

TEST(FamilyDefaults, ABaseUnderAnUnknownNameLeavesTheFormulaOpen) {
  const std::string config = R"({"head_dim": 64, "rope_theta": 1e6, "memory_rope_theta": 1e4})";
  const CacheAnswer answer = judge_frequencies(config, {{"rotary_emb", series(64, 1e4)}});
  EXPECT_EQ(outcome(answer), "not run");
  EXPECT_TRUE(std::ranges::count(answer.notes, "memory_rope_theta is not known here, and may change the formula"));
  EXPECT_EQ(outcome(judge_frequencies(config, {{"rotary_emb", series(64, 1e6)}})), "clean");
}

// Its program gives a row and a column half of the head each, whatever the configuration says.
TEST(FamilyDefaults, QwensTowerHasTheSeriesOfHalfAHead) {
  const std::string config = R"({"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "vision_config": {"depth": 32, "embed_dim": 1280, "num_heads": 16, "patch_size": 14}})";
  EXPECT_EQ(outcome(judge_frequencies(config, {{"visual.rotary_pos_emb", series(40, 1e4)}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(config, {{"visual.rotary_pos_emb", series(80, 1e4)}})), "wrong-rotary-dim");
  std::vector<float> for_each = series(40, 1e4);
  for_each.insert(for_each.end(), for_each.begin(), for_each.begin() + 20);
  EXPECT_EQ(outcome(judge_frequencies(config, {{"visual.rotary_pos_emb", for_each}})), "clean");
  EXPECT_EQ(outcome(judge_frequencies(config, {{"visual.rotary_pos_emb", series(40, 1e6)}})), "wrong-theta");
}

}  // namespace
}  // namespace ropewalk::rope::testing
