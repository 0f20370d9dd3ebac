// What a table's name says of its formula, and formulas of which a configuration has several.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/rope/words.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

RopeConfig read(const std::string& text) {
  return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json"));
}

// Gemma 3 in its older form: the module without "local" is the global one.
RopeConfig two_types() {
  return read(R"({"model_type": "gemma3_text", "head_dim": 64, "max_position_embeddings": 512, "rope_theta": 1e6,
    "rope_local_base_freq": 1e4, "rope_scaling": {"rope_type": "linear", "factor": 4}})");
}

FloatTable table_of(const RopeFormula& formula) { return float_table({formula, 512}, 512); }

CacheAnswer with_names(const RopeFormula& global, const RopeFormula& local, bool frequencies) {
  DumpWriter writer("t.safetensors");
  for (const bool is_local : {false, true}) {
    const RopeFormula& formula = is_local ? local : global;
    const std::string module = is_local ? "model.rotary_emb_local." : "model.rotary_emb.";
    const std::vector<float> w = float_frequencies({formula, 512});
    if (frequencies) writer.add_tensor(module + "inv_freq", Dtype::F32, {i64(w.size())}, w);
    if (!frequencies) writer.add(table_of(formula), DumpLayout::SeparateHalf, Dtype::F32, module);
  }
  return check_dumps({writer.finish()}, two_types(), 1);
}

TEST(LayerTypes, NamesSayWhichIsLocal) {
  const RopeConfig config = two_types();
  const RopeFormula global = config.entries[0].formula, local = config.entries[1].formula;
  for (const bool frequencies : {false, true}) {
    EXPECT_EQ(only_cause(with_names(global, local, frequencies)), "");
    const CacheAnswer exchanged = with_names(local, global, frequencies);
    EXPECT_EQ(only_cause(exchanged), "layer-type");
    EXPECT_EQ(exchanged.passed, 0u);
  }
  RopeFormula scaled = local;
  scaled.type = RopeType::Linear;
  scaled.factor = 4;
  const CacheAnswer answer = with_names(global, scaled, false);
  EXPECT_EQ(only_cause(answer), "scaling-unexpected");
  EXPECT_EQ(answer.passed, 1u);
}

// The theta that programs fall back to tells no type.
TEST(LayerTypes, AreKnownByTheirTheta) {
  const RopeConfig config = read(R"({"head_dim": 64, "max_position_embeddings": 512, "rope_parameters": {
    "full_attention": {"rope_type": "default", "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})");
  for (const bool has_full : {true, false}) {
    DumpWriter writer("t.safetensors");
    writer.add(table_of(config.entries[has_full ? 0 : 1].formula), DumpLayout::Rows, Dtype::F32,
               has_full ? "sliding_attention." : "full_attention.");
    EXPECT_EQ(only_cause(check_dumps({writer.finish()}, config, 1)), has_full ? "layer-type" : "wrong-theta");
  }
}

// Without a sibling that says "local" the module may be of either type.
TEST(LayerTypes, AModuleByItselfMayBeEither) {
  for (const RopeConfig::Entry& entry : two_types().entries) {
    DumpWriter writer("t.safetensors");
    writer.add(table_of(entry.formula), DumpLayout::SeparateHalf, Dtype::F32, "model.rotary_emb.");
    EXPECT_EQ(only_cause(check_dumps({writer.finish()}, two_types(), 1)), "") << entry.layer_type;
  }
}

// Of two that are exchanged each is the other's, which no theta by itself explains.
TEST(LayerTypes, OfAnotherThetaMayBeExchanged) {
  const RopeConfig config = read(R"({"head_dim": 64, "max_position_embeddings": 512, "rope_parameters": {
    "full_attention": {"rope_type": "default", "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})");
  const auto judged = [&](double full, double sliding, bool frequencies) {
    DumpWriter writer("t.safetensors");
    for (const bool is_full : {true, false}) {
      RopeFormula formula = config.entries[0].formula;
      formula.theta = is_full ? full : sliding;
      const std::string module = is_full ? "rotary_emb.full_attention_" : "rotary_emb.sliding_attention_";
      const std::vector<float> w = float_frequencies({formula, 512});
      if (frequencies) writer.add_tensor(module + "inv_freq", Dtype::F32, {i64(w.size())}, w);
      if (!frequencies) writer.add(table_of(formula), DumpLayout::Rows, Dtype::F32, module);
    }
    return check_dumps({writer.finish()}, config, 1);
  };
  for (const bool frequencies : {true, false}) {
    EXPECT_EQ(only_cause(judged(1e6, 1e4, frequencies)), "");
    EXPECT_EQ(only_cause(judged(1e4, 1e6, frequencies)), "layer-type");
    EXPECT_EQ(only_cause(judged(1e6, 1e6, frequencies)), "layer-type");
    EXPECT_EQ(only_cause(judged(1e4, 1e4, frequencies)), "wrong-theta");
    EXPECT_EQ(only_cause(judged(1e4, 5e5, frequencies)), "wrong-theta");
  }
}

RopeConfig phimoe(const std::string& mscales) {
  return read(R"({"model_type": "phimoe", "head_dim": 8, "max_position_embeddings": 512,
    "original_max_position_embeddings": 128, "rope_theta": 1e4, "rope_scaling": {"type": "longrope",
    "short_factor": [1, 1.1, 1.2, 1.3], "long_factor": [1, 2, 4, 8])" +
              mscales + "}}");
}

TEST(LongRope, EachSetMayHaveItsAttentionFactor) {
  const RopeConfig both = phimoe(R"(, "short_mscale": 1.25, "long_mscale": 1.5)"), none = phimoe("");
  EXPECT_NE(in_words(both.entries[0].formula).find("cos and sin times 1.25 or 1.5"), std::string::npos);
  for (const i64 rows : {i64(512), i64(100)}) {
    Making making{none.entries[0].formula, rows};
    making.attention = rows > 128 ? 1.5 : 1.25;
    const Dump dump = bare_dump(float_table(making, rows), "cos_sin_cache");
    const CacheAnswer right = check_dumps({dump}, both, 1);
    EXPECT_EQ(only_cause(right), rows == 512 ? "" : "too-few-rows");
    making.attention = 1.1;
    const CacheAnswer wrong = check_dumps({bare_dump(float_table(making, rows), "cos_sin_cache")}, both, 1);
    ASSERT_FALSE(wrong.findings.empty());
    ASSERT_TRUE(wrong.findings[0].cause);
    EXPECT_EQ(wrong.findings[0].cause->id, "attention-factor");
    EXPECT_NE(wrong.findings[0].cause->text.find(rows > 128 ? "of 1.5" : "of 1.25"), std::string::npos)
        << wrong.findings[0].cause->text;
  }
}

// vLLM keeps the short set for the positions before scaling, and the long one for all.
TEST(LongRope, EachSetMayHaveATableOfItsOwn) {
  const RopeConfig config = phimoe("");
  const auto judged = [&](i64 short_rows, i64 long_rows, bool swapped) {
    DumpWriter writer("t.safetensors");
    for (const bool is_long : {false, true}) {
      Making making{config.entries[0].formula, is_long != swapped ? 512 : 128};
      const FloatTable table = float_table(making, is_long ? long_rows : short_rows);
      writer.add(table, DumpLayout::Rows, Dtype::F32, is_long ? "model.long_" : "model.short_");
    }
    return check_dumps({writer.finish()}, config, 1);
  };
  EXPECT_EQ(only_cause(judged(128, 512, false)), "");
  EXPECT_EQ(only_cause(judged(512, 512, false)), "");
  const CacheAnswer few = judged(100, 512, false);
  EXPECT_EQ(only_cause(few), "too-few-rows");
  EXPECT_NE(few.findings[0].message.find("100 rows"), std::string::npos) << few.findings[0].message;
  EXPECT_EQ(only_cause(judged(128, 300, false)), "too-few-rows");
  EXPECT_FALSE(judged(128, 512, true).findings.empty());
}

// transformers makes the short set's table for the texts that it is right for, which are no longer than that.
TEST(LongRope, TheShortSetNeedsThePositionsBeforeScaling) {
  for (const i64 rows : {100, 127, 128, 129, 511, 512}) {
    const Making making{phimoe("").entries[0].formula, rows};
    const CacheAnswer answer = check_dumps({bare_dump(float_table(making, rows), "cos_sin_cache")}, phimoe(""), 1);
    EXPECT_EQ(only_cause(answer), rows == 128 || rows == 512 ? "" : "too-few-rows") << rows;
  }
}

// The factor that is written and the ratio of the lengths are both right, and nothing else is.
TEST(Longrope, IsScaledByItsFactorOrByItsLengths) {
  RopeConfig config = read_rope_config(JsonCursor(
      parse_json(
          R"({"head_dim": 8, "max_position_embeddings": 512, "rope_theta": 1e4, "rope_parameters": {"rope_type": "longrope",
        "original_max_position_embeddings": 128, "factor": 8, "short_factor": [1, 1, 1, 1],
        "long_factor": [2, 3, 4, 5]}})",
          "config.json"),
      "config.json"));
  for (const double factor : {8.0, 4.0, 16.0, 1.0}) {
    Making making{config.entries[0].formula, 512};
    making.formula.factor = factor;
    const CacheAnswer answer = check_dumps({bare_dump(float_table(making, 512), "cos_sin_cache")}, config, 1);
    EXPECT_EQ(only_cause(answer), factor == 8 || factor == 4 ? "" : "attention-factor") << factor;
  }
}

// transformers keeps the frequencies of the longest text so far.
TEST(Dynamic, FrequenciesMayHaveGrown) {
  RopeFormula formula = plain_formula();
  formula.type = RopeType::Dynamic;
  formula.factor = 2;
  const auto cause_of = [&](const RopeFormula& made, i64 length) {
    DumpWriter writer("t.safetensors");
    const std::vector<float> w = float_frequencies({made, length});
    writer.add_tensor("model.rotary_emb.inv_freq", Dtype::F32, {i64(w.size())}, w);
    return only_cause(check_dumps({writer.finish()}, config_for(formula), 1));
  };
  for (const i64 length : {i64(1), i64(1024), i64(1025), i64(1777), i64(4000)})
    EXPECT_EQ(cause_of(formula, length), "");
  RopeFormula other = formula;
  other.theta = 5e5;
  EXPECT_NE(cause_of(other, 1024), "");
}

Dump stacked(const std::vector<float>& first, const std::vector<float>& second) {
  std::vector<float> values = first;
  values.insert(values.end(), second.begin(), second.end());
  DumpWriter writer("freqs_cis.npy");
  writer.add_tensor("freqs_cis", Dtype::F32, {2, 1024, 32}, values);
  return writer.finish();
}

TEST(Layouts, CosAndSinMayBeStacked) {
  const FloatTable table = rows_at(1024, [](i64 row) { return double(row); });
  EXPECT_EQ(only_cause(check_dumps({stacked(table.cosine, table.sine)}, config_for(plain_formula()), 1)), "");
  std::vector<float> negative = table.sine;
  for (float& value : negative) value = -value;
  EXPECT_EQ(only_cause(check_dumps({stacked(table.cosine, negative)}, config_for(plain_formula()), 1)), "sin-sign");
}

TEST(Causes, ATableOfNanHasNoOthers) {
  const std::vector<float> values(64 * 64, NAN);
  DumpWriter writer("t.npy");
  writer.add_tensor("t", Dtype::F32, {64, 64}, values);
  const CacheAnswer answer = check_dumps({writer.finish()}, config_for(plain_formula(64, 64)), 1);
  ASSERT_EQ(only_cause(answer), "not-a-number");
  EXPECT_EQ(answer.findings[0].cause->text, "rows 0 to 63 hold no numbers; there are no others");
  EXPECT_EQ(answer.findings[0].cause->evidence.size(), 1u);
}

// The tables of one tensor that nothing tells apart are left open once.
TEST(AssumedFormula, LeavesATensorOpenOnce) {
  const RopeConfig config = read(R"({"model_type": "something", "hidden_size": 128, "num_attention_heads": 2})");
  const auto judged = [&](const std::vector<double>& thetas) {
    std::vector<float> values;
    for (const double theta : thetas) {
      RopeFormula formula = plain_formula(64, 512);
      formula.theta = theta;
      const FloatTable table = table_of(formula);
      values.insert(values.end(), table.cosine.begin(), table.cosine.end());
    }
    DumpWriter writer("t.safetensors");
    writer.add_tensor("cos", Dtype::F32, {i64(thetas.size()), 512, 32}, values);
    return check_dumps({writer.finish()}, config, 1);
  };
  const CacheAnswer all = judged({1e6, 2e6, 5e6});
  EXPECT_EQ(all.cases, 1u);
  ASSERT_EQ(all.not_judged.size(), 1u);
  EXPECT_EQ(all.not_judged[0].what, "cos (3 tables)");
  const CacheAnswer some = judged({1e4, 1e4, 5e6});
  EXPECT_EQ(some.cases, 3u);
  EXPECT_EQ(some.passed, 2u);
}

// What is usual for a type of model is no word of the configuration.
TEST(AssumedFormula, IsSaidToBeOne) {
  const RopeConfig config = read(
      R"({"model_type": "something", "hidden_size": 128, "num_attention_heads": 2, "max_position_embeddings": 512})");
  for (const double theta : {1e4, 1e6}) {
    RopeFormula formula = plain_formula(64, 512);
    formula.theta = theta;
    const CacheAnswer answer = check_dumps({bare_dump(table_of(formula))}, config, 1);
    EXPECT_EQ(only_cause(answer), "");
    ASSERT_FALSE(answer.notes.empty());
    EXPECT_EQ(answer.notes[0], "default rope: theta 10000, 32 pairs, which is assumed");
    ASSERT_EQ(answer.not_judged.size(), theta == 1e4 ? 0u : 1u);
    if (theta == 1e4) continue;
    EXPECT_EQ(answer.not_judged[0].reason,
              "it is not the formula that is assumed, and the configuration does not say which it has");
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
