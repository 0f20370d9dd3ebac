// Rows that were made of the rows before them, and positions that were scaled as whole numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

// Each row turned by a step of its own frequency; `fused`: one rounding for both products and their sum.
FloatTable turned(const RopeFormula& formula, i64 rows, bool fused) {
  FloatTable table = float_table({formula, rows}, rows);
  const i64 pairs = table.pairs;
  for (i64 at = 2 * pairs; at < rows * pairs; ++at) {
    const float c = table.cosine[size_t(at - pairs)], s = table.sine[size_t(at - pairs)];
    const float c1 = table.cosine[size_t(pairs + at % pairs)], s1 = table.sine[size_t(pairs + at % pairs)];
    const float ss = s * s1, cs = c * s1, cc = c * c1, sc = s * c1;
    table.cosine[size_t(at)] = fused ? std::fma(c, c1, -ss) : cc - ss;
    table.sine[size_t(at)] = fused ? std::fma(s, c1, cs) : sc + cs;
  }
  return table;
}

TEST(TurnAlternatives, ErrorsOfStepsAddUp) {
  const RopeFormula formula = plain_formula();
  for (const bool fused : {false, true}) {
    const CacheAnswer answer = check_dumps({bare_dump(turned(formula, 1024, fused))}, config_for(formula), 1);
    EXPECT_EQ(only_cause(answer), "angle-drift") << fused;
  }
  // By another frequency the steps are not the reason.
  RopeFormula other = formula;
  other.theta = 5e5;
  EXPECT_NE(only_cause(check_dumps({bare_dump(turned(other, 1024, false))}, config_for(formula), 1)), "angle-drift");
}

TEST(PrecisionAlternatives, PositionsMayBeDividedAsWholeNumbers) {
  RopeFormula formula = plain_formula();
  formula.type = RopeType::Linear;
  for (const double factor : {2.0, 2.5, 8.0}) {
    formula.factor = factor;
    EXPECT_EQ(only_cause(check_dumps({bare_dump(float_table({formula, 1024}, 1024))}, config_for(formula), 1)), "");
    const FloatTable whole = rows_at(1024, [=](i64 row) { return std::floor(double(row) / factor); });
    EXPECT_EQ(only_cause(check_dumps({bare_dump(whole)}, config_for(formula), 1)), "positions-rounded") << factor;
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
