#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

std::string cause_of(const RopeFormula& made, const RopeConfig& config, Dtype dtype, i64 rows) {
  DumpWriter writer("t.safetensors");
  writer.add(float_table({made, rows}, rows), DumpLayout::Rows, dtype, "rotary_emb.");
  return only_cause(check_dumps({writer.finish()}, config, 1));
}

// Linear scaling says no length, and the one before scaling may be any part of what the model has.
TEST(FormulaAlternatives, AnotherTypeMayStartFromAnotherLength) {
  RopeFormula linear = plain_formula(64, 8192);
  linear.type = RopeType::Linear;
  linear.factor = 4;
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16}) {
    EXPECT_EQ(cause_of(linear, config_for(linear), dtype, 8192), "");
    for (const RopeType type : {RopeType::Yarn, RopeType::Llama3}) {
      RopeFormula other = linear;
      other.type = type;
      other.original_positions = 2048;
      EXPECT_EQ(cause_of(other, config_for(linear), dtype, 8192), "scaling-wrong-type") << int(type);
    }
  }
}

// No more digits than the table has.
TEST(FormulaAlternatives, AFittedThetaIsRounded) {
  for (const double theta : {9999.0, 12345.0, 700.0, 23400.0}) {
    RopeFormula made = plain_formula(64, 2048);
    made.theta = theta;
    DumpWriter writer("t.safetensors");
    writer.add(float_table({made, 2048}, 2048), DumpLayout::Rows, Dtype::F32, "rotary_emb.");
    const CacheAnswer answer = check_dumps({writer.finish()}, config_for(plain_formula(64, 2048)), 1);
    ASSERT_EQ(only_cause(answer), "wrong-theta") << theta;
    const std::string& text = answer.findings[0].cause->text;
    EXPECT_TRUE(text.starts_with("theta is " + std::to_string(i64(theta)) + " in place of 10000")) << text;
  }
}

// The bug that a table's width is hidden_size is named where the configuration says that width.
TEST(FormulaAlternatives, TheModelsWidthMayBeTakenForAHeads) {
  const RopeFormula right = plain_formula(64, 512);
  RopeConfig config = config_for(right);
  config.entries[0].model_width = 512;
  const auto of_width = [&](i64 width) {
    RopeFormula made = right;
    made.head_dim = made.rotary_dim = width;
    return cause_of(made, config, Dtype::F32, 512);
  };
  EXPECT_EQ(of_width(64), "");
  EXPECT_EQ(of_width(512), "model-width-for-head-dim");
  EXPECT_EQ(of_width(256), "wrong-rotary-dim");
  config.entries[0].model_width = 0;
  EXPECT_EQ(of_width(512), "wrong-rotary-dim");
}

CacheAnswer with_exponents_over(i64 width, const RopeConfig& config, bool as_frequencies = false) {
  const RopeFormula& formula = config.entries[0].formula;
  Making making{formula, 512};
  making.width = width;
  DumpWriter writer("t.safetensors");
  if (as_frequencies) {
    std::vector<float> values;
    for (i64 pair = 0; pair < formula.pairs(); ++pair)
      values.push_back(float(std::pow(formula.theta, -2.0 * double(pair) / double(width))));
    writer.add_tensor("inv_freq", Dtype::F32, {formula.pairs()}, values);
  } else {
    writer.add(float_table(making, 512), DumpLayout::Rows, Dtype::F32, "rotary_emb.");
  }
  return check_dumps({writer.finish()}, config, 1);
}

// 10000^(64 / 512) is a theta that no model has.
TEST(FormulaAlternatives, ExponentsOverAnotherWidthAreNoOtherTheta) {
  for (const double theta : {10000.0, 500000.0}) {
    for (const RopeType type : {RopeType::Default, RopeType::Linear, RopeType::Llama3, RopeType::Yarn, RopeType::Ntk}) {
      RopeFormula formula = plain_formula(64, 512);
      formula.theta = theta;
      formula.type = type;
      formula.factor = type == RopeType::Default ? 1 : 4;
      formula.original_positions = type == RopeType::Default ? 0 : 128;
      RopeConfig config = config_for(formula);
      config.entries[0].model_width = 768;
      const auto cause = [&](i64 width) { return only_cause(with_exponents_over(width, config)); };
      EXPECT_EQ(cause(64), "") << int(type);
      EXPECT_EQ(cause(768), "model-width-for-head-dim") << int(type);
      // The ramp of yarn bends all pairs, so that they tell no width that is not tried.
      for (const i64 width : {128, 256, 320, 960}) {
        if (type == RopeType::Yarn && width > 256) continue;
        EXPECT_EQ(cause(width), "exponent-width") << int(type) << " " << width;
      }
    }
  }
  RopeConfig config = config_for(plain_formula(64, 512));
  config.entries[0].model_width = 768;
  for (const bool as_frequencies : {false, true}) {
    EXPECT_EQ(only_cause(with_exponents_over(64, config, as_frequencies)), "");
    EXPECT_EQ(with_exponents_over(768, config, as_frequencies).findings[0].cause->text,
              "the exponents are over 768, the width of the model, in place of 64: the same as theta 2.154435 in place "
              "of 10000");
  }
}

// Models have theta 100 million, which is exponents over half of the width as well.
TEST(FormulaAlternatives, AThetaThatModelsHaveIsOne) {
  const RopeConfig config = config_for(plain_formula(64, 512));
  const auto text_of = [&](double theta) {
    RopeFormula made = plain_formula(64, 512);
    made.theta = theta;
    DumpWriter writer("t.safetensors");
    writer.add(float_table({made, 512}, 512), DumpLayout::Rows, Dtype::F32, "rotary_emb.");
    return check_dumps({writer.finish()}, config, 1).findings.at(0).cause->text;
  };
  EXPECT_EQ(text_of(1e8), "theta is 1e+08 in place of 10000, or the exponents are over 32 in place of 64");
  EXPECT_EQ(text_of(5e5), "theta is 500000 in place of 10000");
  EXPECT_EQ(text_of(123), "theta is 123 in place of 10000");
}

TEST(FormulaAlternatives, TheModelsWidthIsReadFromTheConfiguration) {
  const auto read = [](const std::string& text) {
    return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json")).entries[0].model_width;
  };
  EXPECT_EQ(read(R"({"hidden_size": 512, "num_attention_heads": 8})"), 512);
  EXPECT_EQ(read(R"({"head_dim": 64})"), 0);
}

// Of a scaled formula a second scaling, and the unit of an angle.
TEST(FormulaAlternatives, AllFrequenciesMayBeMultiplied) {
  RopeFormula llama3 = plain_formula(64, 2048);
  llama3.type = RopeType::Llama3;
  llama3.factor = 8;
  llama3.original_positions = 512;
  const auto answer_to = [](const RopeFormula& formula, double factor, bool as_table) {
    DumpWriter writer("t.safetensors");
    Making making{formula, 2048};
    making.position = [=](i64 row) { return double(row) * factor; };
    std::vector<float> values = float_frequencies({formula, 2048});
    for (float& value : values) value = float(double(value) * factor);
    if (as_table) writer.add(float_table(making, 2048), DumpLayout::Rows, Dtype::F32, "rotary_emb.");
    if (!as_table) writer.add_tensor("inv_freq", Dtype::F32, {i64(values.size())}, values);
    return check_dumps({writer.finish()}, config_for(formula), 1);
  };
  for (const bool as_table : {true, false}) {
    EXPECT_EQ(only_cause(answer_to(llama3, 1, as_table)), "");
    const CacheAnswer twice = answer_to(llama3, 1. / 8, as_table);
    ASSERT_EQ(only_cause(twice), "scaling-unexpected") << as_table;
    EXPECT_EQ(twice.findings[0].cause->text, "all frequencies are divided by 8, beside the llama3 scaling");
    const CacheAnswer turns = answer_to(plain_formula(64, 2048), 2 * std::numbers::pi, as_table);
    ASSERT_EQ(only_cause(turns), "scaling-unexpected") << as_table;
    EXPECT_EQ(turns.findings[0].cause->text, "all frequencies are multiplied by 2 pi");
  }
}

CacheAnswer frequencies_as(const std::vector<double>& frequencies, const RopeFormula& formula) {
  DumpWriter writer("t.safetensors");
  writer.add_tensor("inv_freq", Dtype::F32, {i64(frequencies.size())},
                    std::vector<float>(frequencies.begin(), frequencies.end()));
  return check_dumps({writer.finish()}, config_for(formula), 1);
}

TEST(FormulaAlternatives, AScalingMayRunTheOtherWay) {
  RopeFormula longrope = plain_formula(64, 8192);
  longrope.type = RopeType::LongRope;
  longrope.original_positions = 1024;
  for (int pair = 0; pair < 32; ++pair) {
    longrope.short_factor.push_back(1 + 0.02 * pair);
    longrope.long_factor.push_back(std::pow(1.1, pair));
  }
  RopeFormula multiplied = longrope;
  for (double& factor : multiplied.long_factor) factor = 1 / factor;
  EXPECT_EQ(cause_of(longrope, config_for(longrope), Dtype::F32, 8192), "");
  EXPECT_EQ(cause_of(multiplied, config_for(longrope), Dtype::F32, 8192), "scaling-inverted");
  RopeFormula scaled = plain_formula(64, 131072);
  scaled.original_positions = 4096;
  scaled.factor = 32;
  for (const RopeType type : {RopeType::Yarn, RopeType::Llama3}) {
    scaled.type = type;
    std::vector<double> right = reference::rope_frequencies(scaled, 1024).frequency, inverted;
    for (size_t pair = 0; pair < right.size(); ++pair) {
      const double kept = std::pow(10000, -2.0 * double(pair) / 64);
      inverted.push_back(kept + kept / 32 - right[pair]);
    }
    EXPECT_EQ(only_cause(frequencies_as(right, scaled)), "") << int(type);
    EXPECT_EQ(only_cause(frequencies_as(inverted, scaled)), "scaling-inverted") << int(type);
  }
}

TEST(FormulaAlternatives, ProportionalRopeHasTheExponentsOfTheHead) {
  RopeFormula formula = plain_formula(256);
  formula.type = RopeType::Proportional;
  formula.rotary_dim = 64;
  std::vector<double> right(128), narrow(128);
  for (size_t pair = 0; pair < 32; ++pair) {
    right[pair] = std::pow(10000, -2.0 * double(pair) / 256);
    narrow[pair] = std::pow(10000, -2.0 * double(pair) / 64);
  }
  EXPECT_EQ(only_cause(frequencies_as(right, formula)), "");
  EXPECT_EQ(only_cause(frequencies_as(narrow, formula)), "exponent-width");
}

// What explains few of the frequencies is not named.
TEST(FormulaAlternatives, FrequenciesWithoutACauseHaveCandidatesAlone) {
  std::vector<double> other(32);
  for (size_t pair = 0; pair < 32; ++pair) other[pair] = 1 / (1 + 0.7 * double(pair) + 0.01 * double(pair * pair));
  const CacheAnswer answer = frequencies_as(other, plain_formula());
  EXPECT_EQ(only_cause(answer), "no cause");
  for (const std::string& line : answer.findings[0].evidence) EXPECT_EQ(line.find('['), line.npos) << line;
}

}  // namespace
}  // namespace ropewalk::rope::testing
