#include "lib/rope/damage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/rope/made/memory.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 damaged_rows = 256;

// A table of a formula that is not known here.
FloatTable unknown_table() {
  RopeFormula formula = plain_formula(64, damaged_rows);
  formula.type = RopeType::LongRope;
  formula.original_positions = damaged_rows / 2;
  for (i64 pair = 0; pair < 32; ++pair) formula.short_factor.push_back(1 + 0.21 * double(pair % 7));
  formula.long_factor = formula.short_factor;
  formula.attention_factor = 1.25;
  return float_table({formula, damaged_rows}, damaged_rows);
}

// Judged by a configuration that leaves the formula open, or by none.
CacheAnswer answer_to(const FloatTable& table, bool configured) {
  RopeConfig config = config_for(plain_formula(64, damaged_rows));
  config.entries[0].sure = false;
  return check_dumps({bare_dump(table, "rope_cache")}, configured ? std::optional(config) : std::nullopt, 1);
}

void expect(const std::string& cause, const FloatTable& table, const char* what) {
  for (const bool configured : {true, false}) {
    const CacheAnswer answer = answer_to(table, configured);
    EXPECT_EQ(only_cause(answer), cause) << what;
    EXPECT_EQ(answer.not_judged.size(), cause.empty() ? 1u : 0u) << what;
    if (cause.empty() || answer.findings.empty()) continue;
    EXPECT_FALSE(answer.findings[0].numbers) << "nothing is expected where no formula is known";
  }
}

void fill(FloatTable& table, i64 first, i64 end, float value) {
  for (i64 n = first * table.pairs; n < end * table.pairs; ++n) table.cosine[size_t(n)] = table.sine[size_t(n)] = value;
}

TEST(Damage, IsNotClaimedOfWholeTables) {
  expect("", unknown_table(), "whole");
  FloatTable negative = unknown_table();
  for (float& value : negative.sine) value = -value;
  expect("", negative, "another sign");
}

// A factor that grows with the position is no damage, nor is one for each pair.
TEST(Damage, IsNotClaimedOfFactors) {
  FloatTable by_row = unknown_table(), by_pair = unknown_table();
  for (i64 row = 0; row < damaged_rows; ++row) {
    for (i64 pair = 0; pair < by_row.pairs; ++pair) {
      const size_t n = size_t(row * by_row.pairs + pair);
      const float grown = row < 160 ? 1 : 1 + 0.2f * std::log(float(row) / 160), of_pair = 1 + 0.02f * float(pair);
      by_row.cosine[n] *= grown, by_row.sine[n] *= grown;
      by_pair.cosine[n] *= of_pair, by_pair.sine[n] *= of_pair;
    }
  }
  EXPECT_EQ(only_cause(answer_to(by_row, true)), "");
  EXPECT_EQ(only_cause(answer_to(by_pair, true)), "");
}

TEST(Damage, OfRowsIsFound) {
  for (const i64 first : {i64(1), i64(100), damaged_rows - 10}) {
    FloatTable table = unknown_table();
    fill(table, first, first + 10, NAN);
    expect("not-a-number", table, "NaN");
    fill(table, first, first + 10, 0);
    expect("uninitialized-memory", table, "zeros");
    fill(table, first, first + 10, 1000);
    expect("uninitialized-memory", table, "one number");
    Random random(5);
    FloatTable garbage = unknown_table();
    FloatTable filled = garbage;
    fill_memory(random, filled.cosine, 0, MemoryHolds::Activations);
    fill_memory(random, filled.sine, 0, MemoryHolds::Weights);
    for (i64 n = first * garbage.pairs; n < (first + 10) * garbage.pairs; ++n) {
      garbage.cosine[size_t(n)] = filled.cosine[size_t(n)];
      garbage.sine[size_t(n)] = filled.sine[size_t(n)];
    }
    expect("uninitialized-memory", garbage, "memory");
  }
}

TEST(Damage, OfElementsIsFound) {
  FloatTable table = unknown_table();
  table.cosine[size_t(40 * table.pairs + 3)] = 1e30f;
  expect("isolated-elements", table, "one");
  table.sine[size_t(90 * table.pairs + 7)] = -4;
  expect("isolated-elements", table, "two");
  table.sine[size_t(91 * table.pairs + 7)] = INFINITY;
  expect("not-a-number", table, "one of them infinite");
}

// Values of angles are on no circle: only what is no number is damage.
TEST(Damage, OfAnglesIsWhatIsNoNumber) {
  FloatTable table = unknown_table();
  for (size_t n = 0; n < table.cosine.size(); ++n) table.cosine[n] = table.sine[n] = float(n % 300);
  EXPECT_TRUE(answer_to(table, true).findings.empty());
  table.cosine[2000] = NAN;
  EXPECT_EQ(only_cause(answer_to(table, true)), "not-a-number");
}

}  // namespace
}  // namespace ropewalk::rope::testing
