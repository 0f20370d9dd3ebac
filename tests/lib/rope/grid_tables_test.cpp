#include "lib/rope/grid_tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 grid_side = 12, width = 64;

RopeFormula formula_of(RopeAxes axes, double theta) {
  RopeFormula formula = plain_formula(width, 4096);
  formula.theta = theta;
  formula.axes = axes;
  if (axes == RopeAxes::Sections) formula.sections = {8, 12, 12};
  return formula;
}

// cos and sin of rows that stand at place(row, axis). `by_axis`: repeated in halves of each axis, else of all columns.
Dump dump_of(const RopeFormula& formula, i64 rows, bool by_axis, const std::function<double(i64, i64)>& place) {
  const std::vector<double> w = reference::rope_frequencies(formula, rows).frequency;
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    std::vector<float> values;
    for (i64 row = 0; row < rows; ++row) {
      for (i64 column = 0; column < width; ++column) {
        const i64 quarter = width / 4, half = width / 2;
        const i64 pair = by_axis ? column / half * quarter + column % quarter : column % half;
        const double angle = place(row, reference::rope_axis(formula, pair)) * w[size_t(pair)];
        values.push_back(float(is_sin ? std::sin(angle) : std::cos(angle)));
      }
    }
    writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, {rows, width}, values);
  }
  return writer.finish();
}

double cell(i64 row, i64 axis) { return double(axis == 0 ? row / grid_side : row % grid_side); }

// Gemma 4's tower has its columns as [row, row, column, column].
TEST(GridTables, AxesMayBeRepeatedEachByItself) {
  for (const double theta : {100.0, 10000.0}) {
    for (const bool by_axis : {true, false}) {
      const Dump dump = dump_of(formula_of(RopeAxes::Vision, theta), grid_side * grid_side, by_axis, cell);
      const CacheAnswer answer = check_dumps({dump}, config_for(formula_of(RopeAxes::Vision, 100), "gemma4_vision"), 1);
      if (theta == 100) {
        EXPECT_EQ(only_cause(answer), by_axis ? "" : "layout-mixup");
        EXPECT_EQ(answer.passed, by_axis ? 1u : 0u);
      } else {
        EXPECT_EQ(answer.passed, 0u);
      }
    }
  }
}

// Kimi's towers: column and row take turns, and have the same frequencies.
TEST(GridTables, AxesMayTakeTurns) {
  const RopeFormula formula = formula_of(RopeAxes::VisionAlternating, 10000);
  RopeConfig config = config_for(formula_of(RopeAxes::Vision, 10000));
  config.entries[0].also = {formula_of(RopeAxes::VisionInterleaved, 10000), formula};
  EXPECT_EQ(check_dumps({dump_of(formula, grid_side * grid_side, false, cell)}, config, 1).passed, 1u);
  const Dump other =
      dump_of(formula, grid_side * grid_side, false, [](i64 row, i64 axis) { return cell(row, axis) + 0.3; });
  EXPECT_EQ(check_dumps({other}, config, 1).passed, 1u);  // small coordinates may be any
  const Dump wrong =
      dump_of(formula, grid_side * grid_side, false, [](i64 row, i64 axis) { return 20 + 1.3 * cell(row, axis); });
  EXPECT_EQ(check_dumps({wrong}, config, 1).passed, 0u);
}

// The layout of a family is that of its text.
TEST(GridTables, ATowerMayHaveAnotherLayoutThanItsFamily) {
  const Dump dump = dump_of(formula_of(RopeAxes::Vision, 100), grid_side * grid_side, false, cell);
  EXPECT_EQ(only_cause(check_dumps({dump}, config_for(formula_of(RopeAxes::Vision, 100), "cohere_vision"), 1)), "");
}

// Cells have no coordinates below 0, but those around 0, which begin there.
TEST(GridTables, SinMayHaveTheWrongSign) {
  const RopeFormula formula = formula_of(RopeAxes::Vision, 10000), text = formula_of(RopeAxes::Sections, 10000);
  const auto judged = [](const RopeFormula& of, const std::function<double(i64, i64)>& place) {
    return check_dumps({dump_of(of, grid_side * grid_side, false, place)}, config_for(of), 1);
  };
  const auto around = [](double sign) {
    return [sign](i64 row, i64 axis) { return sign * (cell(row, axis) + 0.5 - double(grid_side) / 2) * 0.9; };
  };
  EXPECT_EQ(only_cause(judged(formula, cell)), "");
  EXPECT_EQ(only_cause(judged(formula, [](i64 row, i64 axis) { return -cell(row, axis); })), "sin-sign");
  EXPECT_EQ(only_cause(judged(text, [](i64 row, i64 axis) { return 7 * double(axis) + cell(row, axis); })), "");
  EXPECT_EQ(only_cause(judged(text, [](i64 row, i64 axis) { return -7 * double(axis) - cell(row, axis); })),
            "sin-sign");
  // Cells around 0 that come in reverse order may be that, or have the other sign.
  EXPECT_EQ(judged(formula, around(1)).passed, 1u);
  EXPECT_TRUE(judged(formula, around(-1)).findings.empty());
  EXPECT_EQ(judged(formula, around(-1)).not_judged.size(), 1u);
}

// Which cells the rows are need not be known to see that some are none.
TEST(GridTables, DamageIsFound) {
  const RopeFormula formula = formula_of(RopeAxes::Vision, 10000);
  for (const float value : {NAN, 0.0f, 100.0f}) {
    Dump dump = dump_of(formula, grid_side * grid_side, false, cell);
    DumpWriter writer("t.safetensors");
    for (const DumpTensor& tensor : dump.tensors) {
      std::vector<float> values;
      for (i64 n = 0; n < grid_side * grid_side * width; ++n) {
        const bool is_damaged = n / width >= 70 && n / width < 75;
        values.push_back(is_damaged ? value : float(load_as_double(tensor.data.data() + 4 * n, Dtype::F32)));
      }
      writer.add_tensor(tensor.name, Dtype::F32, {grid_side * grid_side, width}, values);
    }
    const CacheAnswer answer = check_dumps({writer.finish()}, config_for(formula), 1);
    EXPECT_EQ(only_cause(answer), std::isnan(value) ? "not-a-number" : "uninitialized-memory") << value;
  }
}

// What repeats a column must be the same.
TEST(GridTables, RepeatedColumnsAreLookedAt) {
  Dump dump = dump_of(formula_of(RopeAxes::Vision, 100), grid_side * grid_side, true, cell);
  std::vector<float> values;
  for (i64 n = 0; n < grid_side * grid_side * width; ++n)
    values.push_back(float(load_as_double(dump.tensors[0].data.data() + 4 * n, Dtype::F32)));
  for (i64 row = 0; row < grid_side * grid_side; ++row) values[size_t(row * width + width / 4 + 3)] += 0.4f;
  DumpWriter writer("t.safetensors");
  writer.add_tensor("cos", Dtype::F32, {grid_side * grid_side, width}, values);
  Dump other = writer.finish();
  dump.tensors[0].data = other.tensors[0].data;
  const CacheAnswer answer = check_dumps({dump}, config_for(formula_of(RopeAxes::Vision, 100)), 1);
  EXPECT_EQ(answer.passed, 0u);
}

// Text, then an image, whose rows have three positions each. Rows that stand at wrong positions of a text are wrong.
TEST(GridTables, TextsMayHaveImagesInThem) {
  const RopeFormula formula = formula_of(RopeAxes::Sections, 10000);
  const auto with_image = [](i64 row, i64 axis) {
    if (row < 20) return double(row);
    const i64 n = row - 20;
    return 20.0 + double(axis == 0 ? 0 : axis == 1 ? n / grid_side : n % grid_side);
  };
  const auto judged = [&](const std::function<double(i64, i64)>& place, double theta = 10000) {
    return check_dumps({dump_of(formula_of(RopeAxes::Sections, theta), 20 + grid_side * grid_side, false, place)},
                       config_for(formula), 1);
  };
  EXPECT_EQ(only_cause(judged(with_image)), "");
  EXPECT_EQ(judged(with_image).passed, 1u);
  EXPECT_FALSE(judged(with_image, 5e5).findings.empty());
  EXPECT_FALSE(judged([](i64 row, i64) { return double(row * 37 % 149); }).findings.empty());
}

}  // namespace
}  // namespace ropewalk::rope::testing
