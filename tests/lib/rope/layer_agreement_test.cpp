#include "lib/rope/layer_agreement.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

// Layers of which those that `is_odd` says have another theta.
CacheAnswer answer_to(i64 layers, const std::function<bool(i64)>& is_odd) {
  DumpWriter writer("t.safetensors");
  for (i64 layer = 0; layer < layers; ++layer) {
    RopeFormula formula = plain_formula(64, 128);
    if (is_odd(layer)) formula.theta = 5e5;
    writer.add(float_table({formula, 128}, 128), DumpLayout::SeparateHalf, Dtype::F32,
               "layers." + std::to_string(layer) + ".rotary_emb.");
  }
  return check_dumps({writer.finish()}, std::nullopt, 1);
}

TEST(LayerAgreement, OneOddLayerIsWrong) {
  const CacheAnswer answer = answer_to(16, [](i64 layer) { return layer == 7; });
  EXPECT_EQ(only_cause(answer), "wrong-theta");
  EXPECT_EQ(answer.passed, 15u);
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_NE(answer.findings[0].message.find("layers.7."), std::string::npos) << answer.findings[0].message;
  EXPECT_EQ(only_cause(answer_to(16, [](i64) { return false; })), "");
}

// As models mean it: five local layers, then a global one.
TEST(LayerAgreement, LayersMayTakeTurns) {
  const CacheAnswer answer = answer_to(18, [](i64 layer) { return layer % 6 == 5; });
  EXPECT_EQ(only_cause(answer), "");
  EXPECT_EQ(answer.passed, 18u);
  EXPECT_TRUE(std::any_of(answer.notes.begin(), answer.notes.end(), [](const std::string& note) {
    return note.find("3 are of another formula than default rope: theta 10000") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ropewalk::rope::testing
