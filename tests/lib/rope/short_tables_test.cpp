#include "lib/rope/short_tables.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

// cos and sin of 100 positions in tensors of these leading axes, repeated over them, for a model of 1024.
CacheAnswer judge_leading(const Shape& leading, double theta = 1e4) {
  RopeFormula formula = plain_formula();
  formula.theta = theta;
  const FloatTable table = float_table({formula, 100}, 100);
  DumpWriter writer("t.safetensors");
  for (const bool is_cos : {true, false}) {
    const std::vector<float>& plane = is_cos ? table.cosine : table.sine;
    Shape shape = leading;
    shape.push_back(100);
    shape.push_back(32);
    std::vector<float> values;
    for (i64 n = 0; n < element_count(leading); ++n) values.insert(values.end(), plane.begin(), plane.end());
    writer.add_tensor(is_cos ? "cos" : "sin", Dtype::F32, shape, values);
  }
  return check_dumps({writer.finish()}, config_for(plain_formula()), 1);
}

TEST(ShortTables, WhatAForwardReturnsIsAsLongAsItsText) {
  for (const i64 batch : {1, 2}) {
    const CacheAnswer answer = judge_leading({batch});
    EXPECT_EQ(only_cause(answer), "");
    EXPECT_EQ(answer.passed, u64(batch));
    EXPECT_TRUE(std::ranges::any_of(answer.notes, [](const std::string& note) {
      return note.find("has 100 of the 1024 positions of the model") != note.npos;
    }));
    EXPECT_EQ(only_cause(judge_leading({batch}, 5e5)), "wrong-theta");
  }
  EXPECT_EQ(only_cause(judge_leading({})), "too-few-rows");
  EXPECT_EQ(only_cause(judge_leading({1, 1})), "too-few-rows");
}

TEST(ShortTables, AskedRowsStandForTheModels) {
  const auto cause_of = [](i64 rows, i64 asked) {
    RopeConfig config = config_for(plain_formula());
    config.asked_rows = asked;
    return only_cause(check_dumps({bare_dump(float_table({plain_formula(), rows}, rows))}, config, 1));
  };
  EXPECT_EQ(cause_of(512, 512), "");
  EXPECT_EQ(cause_of(512, 0), "too-few-rows");
  EXPECT_EQ(cause_of(1024, 2048), "too-few-rows");
}

}  // namespace
}  // namespace ropewalk::rope::testing
