// Tables whose axes stand in another order: the values say which of them counts positions.
#include "lib/rope/row_axis.h"

#include <gtest/gtest.h>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 rows = 96, pairs = 32;

RopeFormula formula(double theta = 10000) {
  RopeFormula one = plain_formula(2 * pairs, rows);
  one.theta = theta;
  return one;
}

FloatTable table_at(double theta, i64 first, i64 count = rows) {
  Making making{formula(theta), count};
  making.position = [first](i64 row) { return double(first + row); };
  return float_table(making, count);
}

// Elements in the order of `shape`: value(index of each axis).
template <class Value>
void add(DumpWriter& writer, const std::string& name, const Shape& shape, const Value& value) {
  std::vector<float> values;
  std::vector<i64> index(shape.size(), 0);
  for (i64 n = 0; n < element_count(shape); ++n) {
    values.push_back(value(index));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  writer.add_tensor(name, Dtype::F32, shape, values);
}

// cos and sin, each with columns repeated in halves.
template <class Where>
CacheAnswer answer_to(const Shape& shape, const Where& where, const RopeConfig& config) {
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    add(writer, is_sin ? "sin" : "cos", shape, [&](const std::vector<i64>& index) {
      const auto [table, row, column] = where(index);
      return (is_sin ? table->sine : table->cosine)[size_t(row * pairs + column % pairs)];
    });
  }
  return check_dumps({writer.finish()}, config, 1);
}

struct Element {
  const FloatTable* table;
  i64 row, column;
};

TEST(RowAxis, MayStandBeforeTheBatch) {
  for (const double theta : {1e4, 5e5}) {
    const FloatTable table = table_at(theta, 0);
    const std::string cause = theta == 1e4 ? "" : "wrong-theta";
    const auto broadcast = [&](const std::vector<i64>& index) { return Element{&table, index[0], index.back()}; };
    for (const i64 batch : {2, 3, 8}) {
      for (const Shape& shape : {Shape{rows, batch, 4, 2 * pairs}, Shape{rows, batch, 2 * pairs},
                                 Shape{rows, batch, 1, 2 * pairs}, Shape{rows, 1, batch, 2 * pairs}}) {
        const CacheAnswer answer = answer_to(shape, broadcast, config_for(formula()));
        EXPECT_EQ(only_cause(answer), cause) << text_of(shape);
        EXPECT_EQ(answer.cases, 1u) << text_of(shape);
      }
    }
  }
}

// Members of a batch that are padded differently stand at other positions in the same row.
TEST(RowAxis, IsFoundWhereTheBatchHasOtherPositions) {
  for (const double theta : {1e4, 5e5}) {
    const std::vector<FloatTable> tables{table_at(theta, 0), table_at(theta, 0, rows)};
    const FloatTable later = table_at(theta, 5);
    const auto member = [&](const std::vector<i64>& index) {
      return Element{index[1] == 1 ? &later : &tables[0], index[0], index.back()};
    };
    const CacheAnswer answer = answer_to({rows, 3, 2 * pairs}, member, config_for(formula()));
    EXPECT_EQ(answer.cases, 3u);
    EXPECT_EQ(answer.passed, theta == 1e4 ? 2u : 0u);
    if (theta == 1e4) {
      EXPECT_EQ(only_cause(answer), "position-shift");
    }
  }
}

// A table of columns and rows exchanged, where its shape can be no other.
TEST(RowAxis, MayBeTheLast) {
  for (const double theta : {1e4, 5e5}) {
    const FloatTable table = table_at(theta, 0);
    const auto exchanged = [&](const std::vector<i64>& index) { return Element{&table, index.back(), index[0]}; };
    for (const i64 columns : {pairs, 2 * pairs}) {
      const CacheAnswer answer = answer_to({columns, rows}, exchanged, config_for(formula()));
      EXPECT_EQ(only_cause(answer), theta == 1e4 ? "" : "wrong-theta") << columns;
    }
    // Damage is found there, too.
    const CacheAnswer broken = answer_to(
        {2 * pairs, rows},
        [&](const std::vector<i64>& index) {
          return Element{&table, std::max<i64>(0, index.back() - (index.back() > 40)), index[0]};
        },
        config_for(formula()));
    EXPECT_FALSE(broken.findings.empty());
  }
}

// Where columns and rows may each be either, a table that is read wrongly is wrong.
TEST(RowAxis, IsNotExchangedWhereTheColumnsMayBeColumns) {
  const FloatTable table = table_at(1e4, 0, 2 * pairs);
  const CacheAnswer answer = answer_to(
      {2 * pairs, 2 * pairs},
      [&](const std::vector<i64>& index) {
        return Element{&table, index[1], index[0]};
      },
      config_for(plain_formula(2 * pairs, 2 * pairs)));
  EXPECT_FALSE(answer.findings.empty());
}

// Tables of two types of layers behind one another along the last axis.
TEST(RowAxis, TheLastAxisMayCountTables) {
  RopeConfig config = config_for(formula(1e6));
  config.entries[0].layer_type = "full_attention";
  config.entries.push_back({"sliding_attention", formula(1e4)});
  const FloatTable global = table_at(1e6, 0), local = table_at(1e4, 0), neither = table_at(3e3, 0);
  for (const FloatTable* second : {&local, &neither}) {
    const CacheAnswer answer = answer_to(
        {rows, 2 * pairs, 2},
        [&](const std::vector<i64>& index) {
          return Element{index[2] ? second : &global, index[0], index[1]};
        },
        config);
    EXPECT_EQ(only_cause(answer), second == &local ? "" : "wrong-theta");
    EXPECT_EQ(answer.cases, 2u);
  }
}

}  // namespace
}  // namespace ropewalk::rope::testing
