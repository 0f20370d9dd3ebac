#include "lib/rope/given_positions.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

using Positions = std::vector<i64>;

Positions counted(i64 from, i64 to) {
  Positions positions(static_cast<size_t>(to - from));
  std::iota(positions.begin(), positions.end(), from);
  return positions;
}

Positions joined(std::initializer_list<Positions> parts) {
  Positions all;
  for (const Positions& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Tables whose rows stand at `made`, one behind the other in one tensor, and `given` as position_ids of their file.
Dump dump_of(const std::vector<Positions>& made, const Positions& given, const Shape& shape, double theta = 10000) {
  const i64 tables = i64(made.size()), rows = i64(made[0].size()), pairs = 32;
  std::vector<float> cosine, sine;
  for (const Positions& positions : made) {
    Making making{plain_formula(2 * pairs), rows};
    making.formula.theta = theta;
    making.position = [&](i64 row) { return double(positions[size_t(row)]); };
    const FloatTable table = float_table(making, rows);
    cosine.insert(cosine.end(), table.cosine.begin(), table.cosine.end());
    sine.insert(sine.end(), table.sine.begin(), table.sine.end());
  }
  DumpWriter writer("batch.safetensors");
  writer.add_tensor("cos", Dtype::F32, {tables, rows, pairs}, cosine);
  writer.add_tensor("sin", Dtype::F32, {tables, rows, pairs}, sine);
  Dump dump = writer.finish();
  const auto kept = std::make_shared<Positions>(given);
  const auto* bytes = reinterpret_cast<const std::byte*>(kept->data());
  dump.integers.push_back({"model.position_ids", Dtype::I64, shape, {bytes, kept->size() * sizeof(i64)}});
  dump.owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<Positions>>>(dump.owner, kept);
  return dump;
}

std::string cause_in(const Dump& dump, bool has_configuration = true) {
  const std::optional<RopeConfig> config =
      has_configuration ? std::optional(config_for(plain_formula())) : std::nullopt;
  return only_cause(check_dumps({dump}, config, 1));
}

TEST(GivenPositions, RowsOfABatchAreJudgedAtThem) {
  std::vector<Positions> batches{joined({counted(0, 100), counted(0, 50), counted(0, 75)}),  // packed documents
                                 joined({counted(0, 64), counted(0, 64)}), joined({counted(0, 128), counted(0, 20)}),
                                 counted(500, 700)};
  Positions cells;
  for (i64 n = 0; n < 256; ++n) cells.push_back(n / 16);
  batches.push_back(cells);
  for (const Positions& positions : batches) {
    const Shape shape{1, i64(positions.size())};
    EXPECT_EQ(cause_in(dump_of({positions}, positions, shape)), "");
    EXPECT_EQ(cause_in(dump_of({positions}, positions, shape, 5e5)), "wrong-theta");
    Positions late = positions;
    for (size_t row = late.size() / 2; row < late.size(); ++row) ++late[row];
    EXPECT_EQ(cause_in(dump_of({late}, positions, shape)), "position-shift");
  }
  // Without a configuration the formula is read off the rows that begin at 0.
  EXPECT_EQ(cause_in(dump_of({batches[0]}, batches[0], {225}), false), "");
}

TEST(GivenPositions, EachTableOfABatchHasItsOwn) {
  const std::vector<Positions> tables{counted(0, 64), joined({counted(0, 32), counted(0, 32)}), counted(10, 74)};
  const Positions all = joined({tables[0], tables[1], tables[2]});
  EXPECT_EQ(cause_in(dump_of(tables, all, {3, 64})), "");
  EXPECT_EQ(cause_in(dump_of({tables[0], tables[1], counted(11, 75)}, all, {3, 64})), "position-shift");
}

// A state dict may hold positions that have nothing to do with its tables.
TEST(GivenPositions, TablesThatStandAtTheirRowsAreRight) {
  const Positions packed = joined({counted(0, 100), counted(0, 100)});
  const CacheAnswer answer =
      check_dumps({dump_of({counted(0, 200)}, packed, {200})}, config_for(plain_formula(64, 200)), 1);
  EXPECT_EQ(only_cause(answer), "");
  EXPECT_NE(std::ranges::find(answer.notes, "rows of table cos/sin are positions from 0, not those beside it"),
            answer.notes.end());
}

// 64 rows are not the table of a model with more positions, nor are they one that position 500 is looked up in.
TEST(GivenPositions, RowsFromZeroAreNotThoseOfABatchElsewhere) {
  const std::vector<Positions> batches{counted(500, 564), joined({counted(0, 30), counted(0, 34)}),
                                       joined({{1, 1, 1, 1}, counted(0, 60)}),
                                       joined({counted(0, 10), counted(0, 20), counted(0, 34)})};
  for (const Positions& positions : batches) {
    const auto cause_with = [&](const Positions& made, i64 of_model) {
      const Dump dump = dump_of({made}, positions, {1, 64});
      return only_cause(check_dumps({dump}, config_for(plain_formula(64, of_model)), 1));
    };
    EXPECT_EQ(cause_with(positions, 2048), "");
    EXPECT_EQ(cause_with(counted(0, 64), 2048), "position-shift");
    EXPECT_EQ(cause_with(counted(0, 64), 64), positions[0] == 500 ? "position-shift" : "");
  }
}

TEST(GivenPositions, ADumpMayBeginAtAPosition) {
  for (const i64 first : {0, 100}) {
    for (const i64 offset : {0, 100}) {
      Dump dump = dump_of({counted(first, first + 512)}, {}, {0});
      dump.integers.clear();
      dump.position_offset = offset;
      const CacheAnswer answer = check_dumps({dump}, config_for(plain_formula(64, 512)), 1);
      EXPECT_EQ(only_cause(answer), first == offset ? "" : "position-shift");
    }
  }
}

TEST(GivenPositions, OthersAreNone) {
  const CacheTable table{.planes = {}, .rows = 4};
  const auto given = [&](const Positions& values, const Shape& shape) {
    Dump dump;
    dump.integers.push_back({"positions", Dtype::I64, shape, std::as_bytes(std::span(values))});
    return given_positions(dump, table).size();
  };
  EXPECT_EQ(given({0, 1, 0, 1}, {4}), 2u);
  EXPECT_EQ(given({0, 1, 0, -1}, {4}), 0u);
  EXPECT_EQ(given({0, 1, 0}, {3}), 0u);
  EXPECT_EQ(given({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, {3, 1, 4}), 2u);  // mrope of a text
  EXPECT_EQ(given({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2}, {3, 1, 4}), 0u);  // of a picture
}

}  // namespace
}  // namespace ropewalk::rope::testing
