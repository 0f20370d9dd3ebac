#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/base/half.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

std::string cause_at(std::function<double(i64)> position) {
  return only_cause(check_dumps({bare_dump(rows_at(1024, std::move(position)))}, config_for(plain_formula()), 1));
}

// Documents behind one another, each from position 0.
TEST(Positions, MayBeginAgain) {
  EXPECT_EQ(cause_at([](i64 row) {
              return double(row < 100 ? row : row < 450 ? row - 100 : row - 450);
            }),
            "position-reset");
}

// Where no row 0 follows, nothing begins again.
TEST(Positions, ThatRepeatOrRunBackwardsDoNotBeginAgain) {
  const std::function<double(i64)> all[] = {
      [](i64 row) { return double(row / 2); },
      [](i64 row) { return double(row / 3); },
      [](i64 row) { return double(row / 32); },
      [](i64 row) { return double(std::min<i64>(row, 300)); },
      [](i64 row) { return double(row < 512 ? row : 1023 - row); },
      [](i64 row) {
        return double(row < 100 ? row : row < 450 ? row - 95 : row - 445);
      },
      [](i64 row) { return double(row < 200 ? row : 200 + (row - 200) / 2); },
  };
  for (const auto& position : all) EXPECT_NE(cause_at(position), "position-reset") << position(700);
}

std::string places_in(const CacheAnswer& answer) {
  if (answer.findings.size() != 1) return fmt::format("{} findings", answer.findings.size());
  for (const std::string& line : answer.findings[0].evidence) {
    if (line.find(" stand") != std::string::npos) return line;
  }
  return "";
}

// Rows that stand elsewhere are listed, and no others.
TEST(Positions, AreSaidOfRowsThatStandElsewhere) {
  const auto places_at = [](std::function<double(i64)> position) {
    const CacheAnswer answer =
        check_dumps({bare_dump(rows_at(1024, std::move(position)))}, config_for(plain_formula()), 1);
    EXPECT_EQ(only_cause(answer), "no cause");
    return places_in(answer);
  };
  EXPECT_EQ(places_at([](i64 row) { return double(std::min<i64>(row, 300)); }),
            "rows stand at other positions than their own: rows 301 to 306 at 300, 300, 300, 300, 300, 300");
  EXPECT_EQ(places_at([](i64 row) { return double(row >= 100 && row < 104 ? row + 100 : row); }),
            "rows stand at other positions than their own: rows 100 to 103 at 200, 201, 202, 203");
  EXPECT_EQ(places_at([](i64 row) { return double(row == 100 ? 200 : row); }), "row 100 stands at position 200");
}

// bf16 numbers of the right positions that were rounded to f16 before.
TEST(Positions, AreNotSaidOfRowsAtTheirOwn) {
  FloatTable table = rows_at(1024, [](i64 row) { return double(row); });
  for (auto* list : {&table.cosine, &table.sine}) {
    for (float& value : *list) value = f16_to_f32(f32_to_f16(value));
  }
  DumpWriter writer("t.safetensors");
  writer.add(table, DumpLayout::SeparateHalf, Dtype::BF16, "rotary_emb.");
  EXPECT_EQ(places_in(check_dumps({writer.finish()}, config_for(plain_formula()), 1)), "");
}

// A tensor of several tables without a configuration: each may have the rows that a batch asked for.
TEST(Positions, OfABatchMayBeginAnywhere) {
  std::vector<float> cosine, sine;
  for (const double offset : {0.0, 70.0, 5.0}) {
    const FloatTable table = rows_at(64, [&](i64 row) { return double(row) + offset; });
    cosine.insert(cosine.end(), table.cosine.begin(), table.cosine.end());
    sine.insert(sine.end(), table.sine.begin(), table.sine.end());
  }
  DumpWriter writer("t.safetensors");
  writer.add_tensor("cos", Dtype::F32, {3, 64, 32}, cosine);
  writer.add_tensor("sin", Dtype::F32, {3, 64, 32}, sine);
  const Dump dump = writer.finish();
  const CacheAnswer open = check_dumps({dump}, std::nullopt, 1);
  EXPECT_EQ(only_cause(open), "");
  ASSERT_EQ(open.not_judged.size(), 1u);
  EXPECT_EQ(open.not_judged[0].what, "cos/sin (2 tables)");
  EXPECT_EQ(only_cause(check_dumps({dump}, config_for(plain_formula(64, 64)), 1)), "position-shift");
}

TEST(Positions, MayBeIntegersThatAreTooShort) {
  EXPECT_EQ(cause_at([](i64 row) { return double(i8(row)); }), "position-wrap");
  EXPECT_EQ(cause_at([](i64 row) { return double(u8(row)); }), "position-wrap");
  EXPECT_EQ(cause_at([](i64 row) { return double(row < 128 ? row : -row); }), "no cause");
}

TEST(Positions, MayAllBeFarAway) {
  for (const double shift : {1e5, 1e6})
    EXPECT_EQ(cause_at([=](i64 row) { return shift + double(row); }), "position-shift");
  EXPECT_EQ(cause_at([](i64 row) { return 1e6 + double(row % 700 * 3); }), "no cause");
}

// One damaged column: the others are read in their layout, and the wrong one is named.
TEST(WrongElements, ColumnsAreNamed) {
  FloatTable table = rows_at(256, [](i64 row) { return double(row); });
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    std::vector<float> values;
    for (i64 row = 0; row < 256; ++row) {
      for (i64 column = 0; column < 64; ++column) {
        const size_t at = size_t(row * 32 + column % 32);
        values.push_back(is_sin ? table.sine[at] : column == 40 ? 0.0f : table.cosine[at]);
      }
    }
    writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, {256, 64}, values);
  }
  const CacheAnswer answer = check_dumps({writer.finish()}, config_for(plain_formula(64, 256)), 1);
  EXPECT_EQ(only_cause(answer), "no cause");
  ASSERT_FALSE(answer.findings.empty());
  const std::vector<std::string>& lines = answer.findings[0].evidence;
  EXPECT_NE(std::find(lines.begin(), lines.end(), "the wrong values are all in column 40 of cos"), lines.end());
}

// Every second position, and each position in two rows.
TEST(Positions, MayBeMultipliedOrRepeated) {
  EXPECT_EQ(cause_at([](i64 row) { return double(row); }), "");
  for (const i64 times : {2, 3, 7}) {
    EXPECT_EQ(cause_at([=](i64 row) { return double(row * times); }), "position-shift") << times;
    EXPECT_EQ(cause_at([=](i64 row) { return double(row / times); }), "position-shift") << times;
  }
  EXPECT_EQ(cause_at([](i64 row) { return double(row * 2 - (row > 500)); }), "no cause");
  EXPECT_EQ(cause_at([](i64 row) { return double(row < 500 ? row / 2 : row / 3); }), "no cause");
}

}  // namespace
}  // namespace ropewalk::rope::testing
