#include "lib/rope/roundings.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lib/base/half.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

FloatTable right_table() { return float_table({plain_formula(64, 256), 256}, 256); }

Dump dump_as(Dtype dtype, const FloatTable& table = right_table()) {
  DumpWriter writer("t.safetensors");
  writer.add(table, DumpLayout::SeparateHalf, dtype, "rotary_emb.");
  return writer.finish();
}

TEST(Roundings, ARankInAShorterDtypeIsFound) {
  const RopeConfig config = config_for(plain_formula(64, 256));
  EXPECT_EQ(only_cause(check_dumps({dump_as(Dtype::BF16), dump_as(Dtype::BF16)}, config, 1)), "");
  const CacheAnswer answer = check_dumps({dump_as(Dtype::F32), dump_as(Dtype::BF16)}, config, 1);
  EXPECT_EQ(only_cause(answer), "table-rounded");
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_EQ(answer.findings[0].rule, Rule::RankMismatch);
  EXPECT_EQ(answer.findings[0].cause->text, "the table is bf16, that of rank 0 is f32");
}

// What x >> 16 makes of the bits of x, as bf16.
float shifted_out(float value) {
  u32 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bf16_to_f32(u16(bits >> 16));
}

// In place of a rounding; a factor below 1 is no rounding.
TEST(Roundings, ValuesMayHaveBeenCutOff) {
  const auto cause_of = [](float factor, double attention, bool cut, i64 rows) {
    RopeConfig config = config_for(plain_formula(64, rows));
    config.entries[0].formula.attention_factor = attention;
    FloatTable table = float_table({config.entries[0].formula, rows}, rows);
    for (auto* list : {&table.cosine, &table.sine}) {
      for (float& value : *list) value = cut ? shifted_out(value) : value * factor;
    }
    return only_cause(check_dumps({dump_as(Dtype::BF16, table)}, config, 1));
  };
  for (const double attention : {1.0, 1.138629}) {
    for (const i64 rows : {256, 4096, 16384}) {
      EXPECT_EQ(cause_of(1, attention, false, rows), "");
      EXPECT_EQ(cause_of(1, attention, true, rows), "table-rounded") << rows;
      EXPECT_EQ(cause_of(0.99f, attention, false, rows), "attention-factor") << rows;
    }
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
