#include <gtest/gtest.h>

#include <cmath>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

RopeFormula scaled_formula(i64 rows) {
  RopeFormula formula = plain_formula(64, rows);
  formula.type = RopeType::Yarn;
  formula.factor = 4;
  formula.original_positions = rows / 4;
  return formula;
}

// cos and sin times a factor each, as [cos | sin].
CacheAnswer judge_scaled(double cos_factor, double sin_factor, Dtype dtype, i64 rows, const RopeFormula& formula) {
  FloatTable table = float_table({formula, rows}, rows);
  for (float& value : table.cosine) value = float(value * cos_factor);
  for (float& value : table.sine) value = float(value * sin_factor);
  DumpWriter writer("t.safetensors");
  writer.add(table, DumpLayout::Rows, dtype, "rotary_emb.");
  return check_dumps({writer.finish()}, config_for(formula), 1);
}

TEST(AttentionAlternatives, AFactorOnOneFunctionIsReadOffLongTables) {
  for (const i64 rows : {2048, 65536}) {
    for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16}) {
      EXPECT_EQ(only_cause(judge_scaled(1, 1, dtype, rows, scaled_formula(rows))), "");
      for (const double factor : {1.19, 0.87}) {
        EXPECT_EQ(only_cause(judge_scaled(factor, 1, dtype, rows, scaled_formula(rows))), "attention-factor") << factor;
        EXPECT_EQ(only_cause(judge_scaled(1, factor, dtype, rows, scaled_formula(rows))), "attention-factor") << factor;
      }
    }
  }
}

TEST(AttentionAlternatives, AFactorIsReadOffShortFormats) {
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16}) {
    for (const i64 rows : {512, 4096}) {
      for (const double factor : {1.2, 0.93, 1.0138}) {
        const CacheAnswer answer = judge_scaled(factor, factor, dtype, rows, plain_formula(64, rows));
        EXPECT_EQ(only_cause(answer), "attention-factor") << factor << " " << rows << " " << int(dtype);
      }
    }
  }
}

// The configuration says a factor, and the table has yarn's own.
TEST(AttentionAlternatives, YarnsOwnFactorIsNamed) {
  RopeFormula formula = scaled_formula(4096);
  formula.attention_factor = 1.25;
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16}) {
    const CacheAnswer answer =
        judge_scaled((0.1 * std::log(4) + 1) / 1.25, (0.1 * std::log(4) + 1) / 1.25, dtype, 4096, formula);
    EXPECT_EQ(only_cause(answer), "attention-factor");
    ASSERT_EQ(answer.findings.size(), 1u);
    EXPECT_NE(answer.findings[0].cause->text.find("0.1 ln 4 + 1"), std::string::npos) << answer.findings[0].cause->text;
    EXPECT_EQ(only_cause(judge_scaled(1, 1, dtype, 4096, formula)), "");
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
