#include <gtest/gtest.h>

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

TEST(FormulaAlternatives, TheModelsWidthIsReadFromTheConfiguration) {
  const auto read = [](const std::string& text) {
    return read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json")).entries[0].model_width;
  };
  EXPECT_EQ(read(R"({"hidden_size": 512, "num_attention_heads": 8})"), 512);
  EXPECT_EQ(read(R"({"head_dim": 64})"), 0);
}

}  // namespace
}  // namespace ropewalk::rope::testing
