// Without a configuration: what is expected was recognised, and nothing is expected that was only guessed.
#include <gtest/gtest.h>

#include "lib/rope/made/memory.h"
#include "tests/lib/rope/frequency_dump.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 rows = 2048;

RopeFormula longrope() {
  RopeFormula formula = plain_formula(64, 4096);
  formula.type = RopeType::LongRope;
  formula.original_positions = 1024;
  formula.attention_factor = 1.19;
  for (i64 pair = 0; pair < 32; ++pair) {
    formula.short_factor.push_back(1);
    formula.long_factor.push_back(1 + 0.37 * double(pair % 5) + 0.1 * double(pair));
  }
  return formula;
}

// No number that people write: what NTK scaling makes of one.
RopeFormula grown_base() {
  RopeFormula formula = plain_formula(64, rows);
  formula.theta = 27431.62;
  return formula;
}

void fill_row(FloatTable& table, i64 row, float value) {
  for (auto* list : {&table.cosine, &table.sine}) std::fill_n(list->begin() + row * table.pairs, table.pairs, value);
}

CacheAnswer answer_to(const FloatTable& table) { return check_dumps({bare_dump(table)}, std::nullopt, 1); }

TEST(Guesses, AFormulaThatIsNotKnownIsNoError) {
  for (const bool bent : {true, false}) {
    Making making{longrope(), rows};
    if (!bent) making.formula = grown_base();
    const CacheAnswer answer = answer_to(float_table(making, rows));
    EXPECT_EQ(only_cause(answer), "") << bent;
    EXPECT_EQ(answer.not_judged.size(), bent ? 1u : 0u);
  }
  // The same table under a configuration that says another formula is wrong.
  const Dump dump = bare_dump(float_table({longrope(), rows}, rows));
  EXPECT_EQ(check_dumps({dump}, config_for(plain_formula(64, rows)), 1).findings.size(), 1u);
}

// One row is damaged; the others still show the formula, and it is not said to be another one's.
TEST(Guesses, DamageIsHeldAgainstTheRecognisedFormula) {
  for (const float value : {0.0f, NAN, INFINITY}) {
    for (const i64 row : {i64(0), i64(77), rows - 1}) {
      FloatTable table = float_table({grown_base(), rows}, rows);
      fill_row(table, row, value);
      const CacheAnswer answer = answer_to(table);
      EXPECT_EQ(only_cause(answer), value == 0 ? "uninitialized-memory" : "not-a-number") << row;
      ASSERT_EQ(answer.findings.size(), 1u);
      EXPECT_NE(answer.findings[0].message.find(row == 0 && value == 0 ? " in 32 of " : " in 64 of "),
                std::string::npos)
          << answer.findings[0].message;
    }
  }
}

// Numbers that somebody may have written are no difference from a formula that nobody gave.
TEST(Guesses, NumbersOfAnyKindAreNoTable) {
  FloatTable table = float_table({plain_formula(64, rows), rows}, rows);
  Random random(5);
  for (const MemoryHolds kind :
       {MemoryHolds::Activations, MemoryHolds::Weights, MemoryHolds::Bits, MemoryHolds::Zeros}) {
    fill_memory(random, table.cosine, 0, kind);
    fill_memory(random, table.sine, 0, kind);
    const CacheAnswer answer = answer_to(table);
    ASSERT_EQ(only_cause(answer), "uninitialized-memory") << int(kind);
    const Finding& finding = answer.findings[0];
    EXPECT_EQ(finding.message, "table t is no table of cos and sin by any known formula");
    EXPECT_TRUE(finding.evidence.empty());
    EXPECT_FALSE(finding.numbers);
    const bool written = kind == MemoryHolds::Activations || kind == MemoryHolds::Weights;
    const bool claims_less = finding.cause->text.find("or something else was written there") != std::string::npos;
    EXPECT_EQ(claims_less, written) << finding.cause->text;
    for (const std::string& note : answer.notes) EXPECT_EQ(note.find("nearest"), note.npos) << note;
  }
}

// Of two ranks the one without a scaling differs from the formula of the other, and no configuration says anything.
TEST(Guesses, TheRecognisedFormulaIsNoConfiguration) {
  RopeFormula scaled = plain_formula(64, rows);
  scaled.type = RopeType::Llama3;
  scaled.factor = 8;
  scaled.original_positions = 512;
  std::vector<Dump> shards;
  for (const i64 rank : {0, 1, 2, 3}) {
    Making making{rank == 3 ? plain_formula(64, rows) : scaled, rows};
    making.position = [rank](i64 row) { return double(row + rank * rows / 4); };
    shards.push_back(bare_dump(float_table(making, rows / 4)));
  }
  const CacheAnswer answer = check_dumps(shards, std::nullopt, 1);
  ASSERT_EQ(only_cause(answer), "scaling-missing");
  EXPECT_EQ(answer.findings[0].cause->text, "the table is not scaled; the recognised formula says llama3 by 8");
  const CacheAnswer configured = check_dumps(shards, config_for(scaled), 1);
  ASSERT_EQ(only_cause(configured), "scaling-missing");
  EXPECT_EQ(configured.findings[0].cause->text, "the table is not scaled; the configuration says llama3 by 8");
}

// sin is infinite from a row on: cos is right, and the rows before are.
TEST(Guesses, AnInfiniteHalfIsNoUnfilledTable) {
  Making making{plain_formula(64, rows), rows};
  making.formula.type = RopeType::Linear;
  making.formula.factor = 4;
  FloatTable table = float_table(making, rows);
  std::fill(table.sine.begin() + 900 * table.pairs, table.sine.end(), INFINITY);
  EXPECT_EQ(only_cause(answer_to(table)), "not-a-number");
}

// Frequencies of another layer type, or in another order, are a model's own choice.
TEST(Guesses, FrequenciesOfAnotherModuleAreNotJudgedByTheRecognisedFormula) {
  const auto outcome_of = [](const std::vector<std::pair<std::string, std::vector<float>>>& tensors) {
    DumpWriter writer("t.safetensors");
    for (const auto& [name, values] : tensors) writer.add_tensor(name, Dtype::F32, {i64(values.size())}, values);
    return outcome(check_dumps({writer.finish()}, std::nullopt, 1));
  };
  const std::vector<float> local = series(64, 1e4);
  std::vector<float> strange = local;
  for (size_t n = 1; n < strange.size(); ++n) strange[n] *= 1 + 0.01f * float(n * n % 7);
  EXPECT_EQ(outcome_of({{"rope.sliding_inv_freq", local}, {"rope.full_inv_freq", strange}}), "not run");
  EXPECT_EQ(outcome_of({{"layers.0.inv_freq", local}, {"layers.1.inv_freq", strange}}), "no cause");
  std::vector<float> damaged = local;
  damaged[3] *= 2;
  EXPECT_NE(outcome_of({{"rope.sliding_inv_freq", local}, {"rope.full_inv_freq", damaged}}), "not run");
}

// A formula that another module has is not expected; that of the same module in another layer is.
TEST(Guesses, LayersOfOneModuleHaveOneFormula) {
  const auto answer_with = [](const std::string& first, const std::string& second, const RopeFormula& formula) {
    DumpWriter writer("t.safetensors");
    writer.add(float_table({plain_formula(64, rows), rows}, rows), DumpLayout::Rows, Dtype::F32, first);
    writer.add(float_table({formula, rows}, rows), DumpLayout::Rows, Dtype::F32, second);
    return check_dumps({writer.finish()}, std::nullopt, 1);
  };
  const CacheAnswer layers = answer_with("layers.0.rope.", "layers.1.rope.", longrope());
  EXPECT_EQ(layers.findings.size(), 1u);
  const CacheAnswer modules = answer_with("decoder.rope.", "encoder.rope.", longrope());
  EXPECT_EQ(modules.findings.size(), 0u);
  EXPECT_EQ(modules.not_judged.size(), 1u);
  EXPECT_EQ(answer_with("layers.0.rope.", "layers.1.rope.", plain_formula()).findings.size(), 0u);
}

// Any base gives the row of position 0, and the one frequency of a pair alone.
TEST(Guesses, ATableOfAnyBaseIsNotRecognised) {
  const auto open_of = [](i64 head_dim, i64 count) {
    const CacheAnswer answer = answer_to(float_table({plain_formula(head_dim, count), count}, count));
    EXPECT_EQ(only_cause(answer), "");
    EXPECT_EQ(answer.passed + i64(answer.not_judged.size()), 1);
    if (answer.not_judged.empty()) return std::string();
    for (const std::string& note : answer.notes) EXPECT_EQ(note.find("recognised"), note.npos) << note;
    return answer.not_judged[0].reason;
  };
  const std::string any = "formulas of any base explain it; a configuration (--config) would say which it has";
  EXPECT_EQ(open_of(64, 1), any);
  EXPECT_EQ(open_of(64, 2), "");
  EXPECT_EQ(open_of(2, 64), any);
  EXPECT_EQ(open_of(4, 64), "");
  const Dump row = bare_dump(float_table({plain_formula(64, 1), 1}, 1));
  EXPECT_EQ(check_dumps({row}, config_for(plain_formula(64, 1)), 1).passed, 1);
}

}  // namespace
}  // namespace ropewalk::rope::testing
