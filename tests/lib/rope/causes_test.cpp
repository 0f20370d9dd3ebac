// What is claimed of one table that is wrong, and of healthy ones that look unusual.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

FloatTable right_table() {
  return rows_at(1024, [](i64 row) { return double(row); });
}

CacheAnswer judged(const FloatTable& table, const std::string& name = "t") {
  return check_dumps({bare_dump(table, name)}, config_for(plain_formula()), 1);
}

std::string text_in(const CacheAnswer& answer) {
  return answer.findings.size() == 1 && answer.findings[0].cause ? answer.findings[0].cause->text : "no cause";
}

void fill_rows(FloatTable& table, i64 first, i64 last, float value) {
  for (auto* list : {&table.cosine, &table.sine})
    std::fill(list->begin() + first * table.pairs, list->begin() + (last + 1) * table.pairs, value);
}

void flip(float& value, int bit) {
  u32 bits = 0;
  std::memcpy(&bits, &value, 4);
  bits ^= u32(1) << bit;
  std::memcpy(&value, &bits, 4);
}

// GPT-J, CodeGen and RoFormer keep [sin | cos]; of others, and by another name, it is a mistake.
TEST(Layouts, SomeModelsPutSinFirst) {
  const Dump dump = bare_dump(right_table(), "transformer.h.0.attn.embed_positions", true);
  for (const char* family : {"gptj", "codegen", "roformer"}) {
    const CacheAnswer answer = check_dumps({dump}, config_for(plain_formula(), family), 1);
    EXPECT_EQ(only_cause(answer), "") << family;
    EXPECT_EQ(answer.notes.back(), "columns are [sin | cos] halves");
  }
  EXPECT_EQ(only_cause(check_dumps({dump}, config_for(plain_formula(), "llama"), 1)), "cos-sin-swapped");
  const Dump exchanged = bare_dump(right_table(), "transformer.h.0.attn.embed_positions");
  EXPECT_EQ(only_cause(check_dumps({exchanged}, config_for(plain_formula(), "gptj"), 1)), "cos-sin-swapped");
  const Dump of_vllm = bare_dump(right_table(), "rotary_emb.cos_sin_cache");
  EXPECT_EQ(only_cause(check_dumps({of_vllm}, config_for(plain_formula(), "gptj"), 1)), "");
}

// Several layers have a table each, and other tensors may be beside them.
TEST(Layouts, TablesThatPutSinFirstAreKnownByTheirNameBesideOthers) {
  const auto named = [](int layer) { return "transformer.h." + std::to_string(layer) + ".attn.embed_positions"; };
  Dump dump = bare_dump(right_table(), named(0), true);
  const Dump second = bare_dump(right_table(), named(1), true), other = bare_dump(right_table(), "wte.weight", true);
  dump.tensors.push_back(second.tensors[0]);
  dump.tensors.push_back(other.tensors[0]);
  const RopeConfig gptj = config_for(plain_formula(), "gptj");
  const CacheAnswer answer = check_dumps({dump}, gptj, 1);
  EXPECT_EQ(only_cause(answer), "");
  EXPECT_EQ(answer.cases, 2u);
  FloatTable broken = right_table();
  fill_rows(broken, 3, 3, 0);
  const Dump damaged = bare_dump(broken, named(1), true);
  dump.tensors[1] = damaged.tensors[0];
  EXPECT_EQ(check_dumps({dump}, gptj, 1).findings.size(), 1u);
}

TEST(Layouts, OneRowIsPositionZero) {
  const Dump dump = bare_dump(rows_at(1, [](i64) { return 0.0; }));
  EXPECT_EQ(only_cause(check_dumps({dump}, std::nullopt, 1)), "");
}

TEST(Layouts, ATableOfTwoParametersSetsNeedsNoName) {
  RopeFormula formula = plain_formula(64, 1024);
  formula.type = RopeType::LongRope;
  formula.original_positions = 256;
  formula.short_factor.assign(32, 1.25);
  formula.long_factor.assign(32, 3.5);
  RopeFormula by_set = formula;
  by_set.long_set = false;
  FloatTable both = float_table({by_set, 256}, 256);
  by_set.long_set = true;
  const FloatTable rest = float_table({by_set, 1024}, 1024);
  both.rows += rest.rows;
  both.cosine.insert(both.cosine.end(), rest.cosine.begin(), rest.cosine.end());
  both.sine.insert(both.sine.end(), rest.sine.begin(), rest.sine.end());
  const CacheAnswer answer = check_dumps({bare_dump(both)}, config_for(formula), 1);
  EXPECT_EQ(only_cause(answer), "");
  EXPECT_EQ(answer.passed, 2u);
}

TEST(Causes, AFactorOnCosAloneIsOneOnCos) {
  for (const float factor : {0.7f, 1.02f, 1.1386f, 1.9f}) {
    FloatTable table = right_table();
    for (float& value : table.cosine) value *= factor;
    EXPECT_EQ(only_cause(judged(table)), "attention-factor") << factor;
    EXPECT_EQ(text_in(judged(table)).substr(0, 22), "cos is multiplied with") << factor;
  }
}

TEST(Causes, OneFunctionInBothPlacesIsNoGarbage) {
  FloatTable cosines = right_table(), sines = right_table();
  cosines.sine = cosines.cosine;
  sines.cosine = sines.sine;
  EXPECT_EQ(text_in(judged(cosines, "cos_sin_cache")), "cos stands in its own place and where sin should");
  EXPECT_EQ(text_in(judged(sines, "cos_sin_cache")), "sin stands in its own place and where cos should");
}

// Angles of an unknown formula, with a factor on cos: computed values, which nobody can take for garbage.
TEST(Causes, AnEllipseIsNoGarbage) {
  Making making{plain_formula(), 1024};
  making.formula.theta = 12345;
  making.product_dtype = Dtype::F16;
  FloatTable table = float_table(making, 1024);
  for (float& value : table.cosine) value *= 1.3f;
  EXPECT_NE(only_cause(judged(table)), "uninitialized-memory");
}

TEST(Causes, RowsThatNobodyFilledAreNamed) {
  FloatTable one = right_table(), some = right_table(), tail = right_table();
  fill_rows(one, 7, 7, 0);
  fill_rows(some, 7, 11, 0);
  fill_rows(tail, 900, 1023, 0);
  EXPECT_EQ(text_in(judged(one)), "nobody filled row 7");
  EXPECT_EQ(text_in(judged(some)), "nobody filled rows 7 to 11");
  EXPECT_EQ(text_in(judged(tail)), "nobody filled this memory from row 900 on");
}

TEST(Causes, ARowOfNanAndOneWrongElementAreBothReported) {
  FloatTable table = right_table();
  fill_rows(table, 100, 100, NAN);
  table.cosine[size_t(300 * table.pairs + 4)] = 7;
  EXPECT_EQ(only_cause(judged(table)), "not-a-number");
  EXPECT_EQ(text_in(judged(table)), "row 100 holds no numbers; 1 other element is wrong as well");
}

// The bound of a drift is wide enough for one flipped bit, but the right formula is nearer.
TEST(Causes, AFlippedBitIsNoDrift) {
  FloatTable table = right_table();
  flip(table.cosine[size_t(250 * table.pairs + 4)], 11);
  EXPECT_EQ(only_cause(judged(table)), "flipped-bit");
}

TEST(Causes, ALaterStretchOfRowsMayStandElsewhere) {
  const auto at = [](std::function<double(i64)> position) { return judged(rows_at(1024, std::move(position))); };
  const CacheAnswer first = at([](i64 row) { return double(std::max<i64>(row - 1, 0)); });
  EXPECT_EQ(only_cause(first), "position-shift");
  EXPECT_EQ(text_in(first),
            "position 0 has two rows: from row 1 on every row stands 1 position too early: row 1 is position 0");
  EXPECT_EQ(
      text_in(at([](i64 row) { return double(row - (row > 500)); })),
      "position 500 has two rows: from row 501 on every row stands 1 position too early: row 501 is position 500");
  EXPECT_EQ(text_in(at([](i64 row) { return double(row + (row >= 500)); })),
            "position 500 has no row: from row 500 on every row stands 1 position too far: row 500 is position 501");
  EXPECT_EQ(text_in(at([](i64 row) { return double((row + 1023) % 1024); })),
            "the rows are rolled by 1: row 0 is position 1023, row 1 is position 0");
  EXPECT_EQ(only_cause(at([](i64 row) { return double(row < 700 ? row : row - 700); })), "position-wrap");
}

TEST(Causes, TheWholeHeadUnderAPartialConfiguration) {
  RopeFormula partial = plain_formula();
  partial.rotary_dim = 16;
  const CacheAnswer answer = check_dumps({bare_dump(right_table())}, config_for(partial), 1);
  EXPECT_EQ(only_cause(answer), "head-dim-for-rotary-dim");
}

TEST(Causes, AProportionalTableWhosePairsAllTurn) {
  RopeFormula formula = plain_formula();
  formula.type = RopeType::Proportional;
  formula.rotary_dim = 16;
  const CacheAnswer answer = check_dumps({bare_dump(right_table())}, config_for(formula), 1);
  EXPECT_EQ(only_cause(answer), "scaling-missing");
  EXPECT_EQ(text_in(answer), "all 32 pairs turn; the configuration lets 8 of them turn");
}

TEST(Causes, ABf16TableInF16WasRoundedOnTheWay) {
  FloatTable table = right_table();
  std::vector<float> values;
  for (i64 row = 0; row < table.rows; ++row) {
    for (const auto* list : {&table.cosine, &table.sine}) {
      for (i64 pair = 0; pair < table.pairs; ++pair) {
        u8 bytes[2];
        store_from_double(bytes, Dtype::BF16, double((*list)[size_t(row * table.pairs + pair)]));
        values.push_back(float(load_as_double(bytes, Dtype::BF16)));
      }
    }
  }
  DumpWriter writer("t.npy");
  writer.add_tensor("t", Dtype::F16, {table.rows, 2 * table.pairs}, values);
  EXPECT_EQ(only_cause(check_dumps({writer.finish()}, config_for(plain_formula()), 1)), "table-rounded");
}

// Explanations that are no better than the right formula are no candidates.
TEST(Causes, CandidatesAreBetterThanNothing) {
  FloatTable table = right_table();
  for (float& value : table.cosine) value = float(std::tan(double(value)));
  const CacheAnswer answer = judged(table);
  ASSERT_EQ(answer.findings.size(), 1u);
  for (const std::string& line : answer.findings[0].evidence)
    EXPECT_EQ(line.find("candidate"), std::string::npos) << line;
}

// The best of each kind stands for the others.
TEST(Causes, ACandidateIsReportedOnce) {
  RopeFormula formula = plain_formula();
  formula.type = RopeType::Linear;
  formula.factor = 4;
  FloatTable table = float_table({formula, 1024}, 1024);
  for (i64 row = 0; row < table.rows; row += 3) std::fill_n(table.sine.begin() + row * table.pairs, table.pairs, 0.6f);
  const CacheAnswer answer = judged(table);
  ASSERT_EQ(answer.findings.size(), 1u);
  std::vector<std::string> lines = answer.findings[0].evidence;
  if (answer.findings[0].cause) lines = answer.findings[0].cause->evidence;
  EXPECT_LE(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.starts_with("candidate") && line.find("[scaling-unexpected]") != line.npos;
                          }),
            1);
}

TEST(Names, OneRowIsOne) {
  const CacheAnswer answer =
      check_dumps({bare_dump(rows_at(1, [](i64) { return 0.0; }))}, config_for(plain_formula()), 1);
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].message, "table t has 1 row, the model has 1024 positions");
}

TEST(Names, ATableOfOneTensorHasItsName) {
  const CacheAnswer answer = judged(rows_at(1024, [](i64 row) { return double(row + 1); }), "rotary.cos_sin_cache");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].message.substr(0, 34), "table rotary.cos_sin_cache differs");
}

// One of the functions is right, the other that of another formula.
TEST(Causes, OfOneFunctionAlone) {
  RopeFormula other = plain_formula();
  other.theta = 5e5;
  for (const bool is_sin : {true, false}) {
    FloatTable table = float_table({plain_formula(), 1024}, 1024);
    FloatTable mixed = float_table({other, 1024}, 1024);
    (is_sin ? table.sine : table.cosine) = is_sin ? mixed.sine : mixed.cosine;
    const CacheAnswer answer = check_dumps({bare_dump(table)}, config_for(plain_formula()), 1);
    ASSERT_EQ(only_cause(answer), "wrong-theta") << is_sin;
    EXPECT_EQ(answer.findings[0].cause->text, is_sin ? "cos is right, and of sin: theta is 500000 in place of 10000"
                                                     : "sin is right, and of cos: theta is 500000 in place of 10000");
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
