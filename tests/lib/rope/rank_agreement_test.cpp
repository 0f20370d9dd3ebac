#include "lib/rope/rank_agreement.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

Dump dump_of(i64 rows, i64 dim, double theta, DumpLayout layout = DumpLayout::SeparateHalf) {
  RopeFormula formula = plain_formula(dim, rows);
  formula.theta = theta;
  DumpWriter writer("t.safetensors");
  writer.add(float_table({formula, rows}, rows), layout, Dtype::F32, "");
  return writer.finish();
}

std::string cause_of(const std::vector<Dump>& dumps) { return only_cause(check_dumps(dumps, std::nullopt, 1)); }

TEST(RankAgreement, TablesOfAnyLengthAreCompared) {
  const Dump first = dump_of(512, 64, 1e4);
  for (const i64 rows : {256, 300, 400, 600}) {
    EXPECT_EQ(cause_of({first, dump_of(rows, 64, 1e4)}), "") << rows;
    EXPECT_EQ(cause_of({first, dump_of(rows, 64, 5e5)}), "rank-differs") << rows;
    EXPECT_EQ(cause_of({first, first, first, dump_of(rows, 64, 5e5)}), "rank-differs") << rows;
  }
}

TEST(RankAgreement, TablesOfAnyWidthAndFormatAreCompared) {
  const Dump first = dump_of(512, 64, 1e4);
  EXPECT_EQ(cause_of({first, dump_of(512, 128, 1e4)}), "rank-differs");
  EXPECT_EQ(cause_of({first, dump_of(512, 64, 5e5, DumpLayout::Complex)}), "rank-differs");
  EXPECT_EQ(cause_of({first, dump_of(512, 64, 1e4, DumpLayout::Complex)}), "");
}

// One rank repeats the columns, the other does not; or cos does and sin does not.
TEST(RankAgreement, HalfTheWidthIsAnotherLayout) {
  const Dump whole = dump_of(512, 64, 1e4), half = dump_of(512, 64, 1e4, DumpLayout::Separate);
  EXPECT_EQ(cause_of({half, half}), "");
  EXPECT_EQ(cause_of({whole, half}), "layout-mixup");
  Dump mixed = whole;
  mixed.tensors[1] = half.tensors[1];
  EXPECT_EQ(only_cause(check_dumps({mixed}, config_for(plain_formula(64, 512)), 1)), "layout-mixup");
  EXPECT_EQ(only_cause(check_dumps({whole}, config_for(plain_formula(64, 512)), 1)), "");
}

}  // namespace
}  // namespace ropewalk::rope::testing
