// Values that were computed, however wrongly, are not taken for memory that nobody filled.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/rope/made/memory.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 computed_rows = 512;

RopeConfig config() { return config_for(plain_formula(64, computed_rows)); }

FloatTable computed_table() {
  return rows_at(computed_rows, [](i64 row) { return double(row); });
}

std::string cause_of(const FloatTable& table) {
  return only_cause(check_dumps({bare_dump(table, "cos_sin_cache")}, config(), 1));
}

void each(std::vector<float>& values, const std::function<float(float)>& made) {
  for (float& value : values) value = made(value);
}

TEST(ComputedValues, OfAnotherFunctionAreNoGarbage) {
  const auto squared = [](float x) { return x * x; };
  const auto coarse = [](float x) { return std::round(8 * x) / 8; };
  const auto limited = [](float x) { return std::clamp(x, -0.8f, 0.8f); };
  const auto moved = [](float x) { return x + 0.25f; };
  const auto inverse = [](float x) { return 1 / (x == 0 ? 1 : x); };
  for (const std::function<float(float)>& made :
       {std::function<float(float)>(squared), std::function<float(float)>(coarse), std::function<float(float)>(limited),
        std::function<float(float)>(moved), std::function<float(float)>(inverse)}) {
    for (const int which : {0, 1, 2}) {
      FloatTable table = computed_table();
      if (which != 1) each(table.cosine, made);
      if (which != 0) each(table.sine, made);
      EXPECT_NE(cause_of(table), "uninitialized-memory") << which;
    }
  }
}

TEST(ComputedValues, AnglesAreNoGarbage) {
  FloatTable table = computed_table();
  const std::vector<float> frequency = float_frequencies({plain_formula(), computed_rows});
  for (i64 row = 0; row < computed_rows; ++row) {
    for (i64 pair = 0; pair < table.pairs; ++pair)
      table.cosine[size_t(row * table.pairs + pair)] = table.sine[size_t(row * table.pairs + pair)] =
          float(row) * frequency[size_t(pair)];
  }
  EXPECT_EQ(cause_of(table), "no cause");
}

// Columns and rows exchanged, where the shape says that they are: the table is judged as it is meant.
TEST(ComputedValues, ATransposedTableIsNoGarbage) {
  const FloatTable table = computed_table();
  std::vector<float> values;
  for (const std::vector<float>* function : {&table.cosine, &table.sine}) {
    for (i64 pair = 0; pair < table.pairs; ++pair) {
      for (i64 row = 0; row < computed_rows; ++row) values.push_back((*function)[size_t(row * table.pairs + pair)]);
    }
  }
  DumpWriter writer("t.npy");
  writer.add_tensor("cos_sin_cache", Dtype::F32, {2 * table.pairs, computed_rows}, values);
  EXPECT_EQ(only_cause(check_dumps({writer.finish()}, config(), 1)), "");
}

// What memory holds by chance is still seen, in a function, in rows and everywhere.
TEST(ComputedValues, GarbageIsGarbage) {
  for (const MemoryHolds kind :
       {MemoryHolds::Weights, MemoryHolds::Bits, MemoryHolds::Activations, MemoryHolds::Zeros}) {
    for (const i64 first : {i64(0), computed_rows / 2, computed_rows - 3}) {
      Random random(7);
      FloatTable table = computed_table();
      fill_memory(random, table.cosine, first * table.pairs, kind);
      fill_memory(random, table.sine, first * table.pairs, kind);
      EXPECT_EQ(cause_of(table), "uninitialized-memory") << int(kind) << " from row " << first;
    }
  }
  Random random(8);
  FloatTable table = computed_table();
  fill_memory(random, table.sine, 0, MemoryHolds::Weights);
  EXPECT_EQ(cause_of(table), "uninitialized-memory");
}

// Inverse frequencies that were not inverted, and those of memory.
TEST(ComputedValues, FrequenciesThatRiseThroughoutAreNoGarbage) {
  const auto cause_of_these = [](const std::vector<float>& values) {
    DumpWriter writer("t.safetensors");
    writer.add_tensor("rotary_emb.inv_freq", Dtype::F32, {i64(values.size())}, values);
    return only_cause(check_dumps({writer.finish()}, config(), 1));
  };
  std::vector<float> frequency = float_frequencies({plain_formula(), computed_rows});
  EXPECT_EQ(cause_of_these(frequency), "");
  each(frequency, [](float x) { return 1 / x; });
  EXPECT_EQ(cause_of_these(frequency), "no cause");
  Random random(9);
  fill_memory(random, frequency, 0, MemoryHolds::Activations);
  EXPECT_EQ(cause_of_these(frequency), "uninitialized-memory");
}

}  // namespace
}  // namespace ropewalk::rope::testing
