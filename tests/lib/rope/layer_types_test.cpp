#include "lib/rope/layer_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lib/rope/frequency_dump.h"

namespace ropewalk::rope::testing {
namespace {

std::string types(const std::string& config, i64 layers) {
  const LayerTypes read = read_layer_types(JsonCursor(parse_json(config, "config.json"), "config.json"));
  std::string letters;
  for (i64 layer = 0; layer < layers; ++layer) letters += read.of(layer).empty() ? '-' : read.of(layer)[0];
  return letters;
}

TEST(LayerTypesOfNumbers, AreListedOrTakeTurns) {
  EXPECT_EQ(types(R"({"layer_types": ["full_attention", "sliding_attention", null]})", 4), "fs--");
  EXPECT_EQ(types(R"({"hybrid_layer_pattern": [0, 1, 1, "M"]})", 4), "fss-");
  EXPECT_EQ(types(R"({"sliding_window_pattern": 3})", 6), "ssfssf");
  EXPECT_EQ(types(R"({"model_type": "gemma3_text", "num_hidden_layers": 7})", 8), "sssssfs-");
  EXPECT_EQ(types(R"({"model_type": "modernbert", "global_attn_every_n_layers": 2})", 5), "fsfsf");
  EXPECT_EQ(types(R"({"model_type": "llama"})", 2), "--");
}

TEST(LayerTypesOfNumbers, NamesSayTheNumber) {
  EXPECT_EQ(layer_in("model.layers.12.self_attn.rotary_emb.inv_freq"), 12);
  EXPECT_EQ(layer_in("transformer.h.0.attn"), 0);
  EXPECT_EQ(layer_in("model.rotary_emb.inv_freq"), -1);
  EXPECT_EQ(layer_in("layers.x.rotary_emb"), -1);
}

TEST(LayerTypesOfNumbers, ALayerIsJudgedByItsType) {
  const std::string config = R"({"head_dim": 64, "layer_types": ["sliding_attention", "full_attention"],
    "rope_parameters": {"full_attention": {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}})";
  const auto outcome_of = [&](double first, double second) {
    return outcome(judge_frequencies(config, {{"model.layers.0.self_attn.rotary_emb", series(64, first)},
                                              {"model.layers.1.self_attn.rotary_emb", series(64, second)}}));
  };
  EXPECT_EQ(outcome_of(1e4, 1e6), "clean");
  EXPECT_EQ(outcome_of(1e6, 1e4), "layer-type");
  EXPECT_EQ(outcome_of(1e6, 1e6), "layer-type");
}

// The second stage of two has layers 2 and 3 of the model, and may call them 0 and 1.
TEST(LayerTypesOfNumbers, AStageMayCountItsOwnLayers) {
  const std::string config = R"({"head_dim": 64,
    "layer_types": ["sliding_attention", "full_attention", "full_attention", "sliding_attention"],
    "rope_parameters": {"full_attention": {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}})";
  const auto outcome_of = [&](int first, int second) {
    return outcome(judge_frequencies(config, {{fmt::format("layers.{}.rotary_emb", first), series(64, 1e6)},
                                              {fmt::format("layers.{}.rotary_emb", second), series(64, 1e4)}}));
  };
  EXPECT_EQ(outcome_of(0, 1), "clean");
  EXPECT_EQ(outcome_of(2, 3), "clean");
  EXPECT_NE(outcome_of(1, 2), "clean");
}

TEST(LayerTypesOfNumbers, ModernBertsTakeTurns) {
  const std::string config = R"({"model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12,
    "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3})";
  const auto outcome_of = [&](const std::vector<double>& thetas) {
    Modules modules;
    for (size_t layer = 0; layer < thetas.size(); ++layer)
      modules.push_back({"model.layers." + std::to_string(layer) + ".attn.rotary_emb", series(64, thetas[layer])});
    return outcome(judge_frequencies(config, modules));
  };
  EXPECT_EQ(outcome_of({1.6e5, 1e4, 1e4, 1.6e5}), "clean");
  EXPECT_EQ(outcome_of({1.6e5, 1.6e5, 1e4, 1.6e5}), "layer-type");
}

// Step 3.5 writes a base, and the part that is rotated, for each layer.
TEST(LayerTypesOfNumbers, FieldsMayBeListsOfLayers) {
  const std::string config = R"({"model_type": "step3p5", "hidden_size": 4096, "num_attention_heads": 64,
    "head_dim": 128, "rope_theta": [5000000.0, 10000.0], "partial_rotary_factors": [0.5, 1.0],
    "layer_types": ["full_attention", "sliding_attention"], "yarn_only_types": ["full_attention"],
    "rope_scaling": {"rope_type": "linear", "factor": 2.0}})";
  const auto outcome_of = [&](const std::vector<float>& second) {
    return outcome(
        judge_frequencies(config, {{"layers.0.rotary_emb", series(64, 5e6, 2)}, {"layers.1.rotary_emb", second}}));
  };
  EXPECT_EQ(outcome_of(series(128, 1e4)), "clean");
  EXPECT_EQ(outcome_of(series(128, 5e6)), "wrong-theta");
  EXPECT_EQ(outcome_of(series(128, 1e4, 2)), "scaling-unexpected");
  const std::string mixed = R"({"head_dim": 64, "rope_theta": [1e6, 1e4],
    "layer_types": ["full_attention", "full_attention"]})";
  const CacheAnswer answer = judge_frequencies(mixed, {{"layers.0.rotary_emb", series(64, 1e6)}});
  EXPECT_EQ(outcome(answer), "not run");
  EXPECT_TRUE(std::ranges::count(answer.notes, "rope_theta[1]: layers of one type differ in it"));
}

}  // namespace
}  // namespace ropewalk::rope::testing
