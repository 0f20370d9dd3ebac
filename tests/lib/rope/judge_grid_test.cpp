// Where rows that are cells of a grid should stand, and by which theta.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 height = 10, breadth = 12, cells = height * breadth, grid_width = 64;
using Cell = std::array<double, 2>;

RopeFormula tower(double theta = 10000, RopeAxes axes = RopeAxes::Vision) {
  RopeFormula formula = plain_formula(grid_width, 0);
  formula.theta = theta;
  formula.axes = axes;
  return formula;
}

// Rows of an image as towers have them, in blocks of 2 x 2 that are merged later.
Cell cell(i64 row) {
  const i64 block = row / 4, inside = row % 4, blocks = breadth / 2;
  return {double(block / blocks * 2 + inside / 2), double(block % blocks * 2 + inside % 2)};
}

Dump dump_of(const RopeFormula& formula, const std::function<Cell(i64)>& place, Dtype dtype = Dtype::F32) {
  const std::vector<double> w = reference::rope_frequencies(formula, cells).frequency;
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    std::vector<float> values;
    for (i64 row = 0; row < cells; ++row) {
      for (i64 column = 0; column < grid_width; ++column) {
        const i64 pair = column % (grid_width / 2);
        const double angle = place(row)[size_t(reference::rope_axis(formula, pair))] * w[size_t(pair)];
        values.push_back(float(is_sin ? std::sin(angle) : std::cos(angle)));
      }
    }
    writer.add_tensor(is_sin ? "visual.sin" : "visual.cos", dtype, {cells, grid_width}, values);
  }
  return writer.finish();
}

// The same with position_ids beside it, as [rows, 2] or [2, rows].
Dump with_cells(Dump dump, const std::function<Cell(i64)>& given, bool axes_first) {
  const auto kept = std::make_shared<std::vector<i64>>(size_t(2 * cells));
  for (i64 row = 0; row < cells; ++row) {
    for (i64 axis = 0; axis < 2; ++axis)
      (*kept)[size_t(axes_first ? axis * cells + row : 2 * row + axis)] = i64(given(row)[size_t(axis)]);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(kept->data());
  dump.integers.push_back({"visual.position_ids",
                           Dtype::I64,
                           axes_first ? Shape{2, cells} : Shape{cells, 2},
                           {bytes, kept->size() * sizeof(i64)}});
  dump.owner =
      std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<std::vector<i64>>>>(dump.owner, kept);
  return dump;
}

RopeConfig config_of(const RopeFormula& formula, bool theta_said, const std::string& family) {
  RopeConfig config = config_for(formula, family);
  config.entries[0].theta_said = theta_said;
  return config;
}

CacheAnswer judge_grid(const Dump& dump, const RopeFormula& formula = tower(), bool theta_said = true,
                       const std::string& family = "qwen2_vl_vision") {
  return check_dumps({dump}, config_of(formula, theta_said, family), 1);
}

Cell swapped(i64 row) { return {cell(row)[1], cell(row)[0]}; }

TEST(JudgeGrid, RowsAreJudgedAtTheCellsBesideThem) {
  const Dump right = dump_of(tower(), cell), late = dump_of(tower(), [](i64 row) {
                                               return Cell{cell(row)[0] + 1, cell(row)[1] + 1};
                                             });
  for (const bool axes_first : {true, false}) {
    EXPECT_EQ(judge_grid(with_cells(right, cell, axes_first)).passed, 1u);
    EXPECT_EQ(only_cause(judge_grid(with_cells(late, cell, axes_first))), "position-shift");
    EXPECT_EQ(only_cause(judge_grid(with_cells(dump_of(tower(), swapped), cell, axes_first))), "axes-exchanged");
    EXPECT_EQ(judge_grid(with_cells(dump_of(tower(), swapped), swapped, axes_first)).passed, 1u);
    const auto with_wrong_row = [](i64 row) { return row == 50 ? Cell{3, 3} : cell(row); };
    EXPECT_EQ(only_cause(judge_grid(with_cells(dump_of(tower(), with_wrong_row), cell, axes_first))), "no cause");
  }
  // Towers of other families may have their columns begin with width.
  const CacheAnswer other = judge_grid(with_cells(dump_of(tower(), swapped), cell, false), tower(), true, "step3p7");
  EXPECT_EQ(other.passed, 1u);
  // Without them any cells are right, and those that have nothing to do with the table are noted.
  EXPECT_EQ(judge_grid(late).passed, 1u);
  const auto elsewhere = [](i64 row) { return Cell{double(row * 7 % 31), double(row * 11 % 29)}; };
  EXPECT_EQ(judge_grid(with_cells(right, elsewhere, false)).passed, 1u);
}

// Time, height and width of a video, in rows of 3 x 4 x 5 cells.
TEST(JudgeGrid, OfThreeAxesAnyTwoMayBeExchanged) {
  const std::string text = R"({"attention_head_dim": 48, "num_attention_heads": 2, "rope_axes_dim": [12, 18, 18],
                               "rope_theta": 256.0, "_class_name": "HunyuanVideoTransformer3DModel"})";
  const RopeConfig config = read_rope_config(JsonCursor(parse_json(text, "config.json"), "config.json"));
  const RopeFormula& formula = config.entries.at(0).formula;
  const i64 video = 60;
  const auto place = [](i64 row) { return std::array<i64, 3>{row / 20, row / 5 % 4, row % 5}; };
  const std::vector<double> w = reference::rope_frequencies(formula, video).frequency;
  for (const auto& order : {std::array<size_t, 3>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}}) {
    DumpWriter writer("t.safetensors");
    for (const bool is_sin : {false, true}) {
      std::vector<float> values;
      for (i64 row = 0; row < video; ++row) {
        for (i64 pair = 0; pair < 24; ++pair) {
          const double angle = double(place(row)[order[size_t(reference::rope_axis(formula, pair))]]) * w[size_t(pair)];
          values.push_back(float(is_sin ? std::sin(angle) : std::cos(angle)));
        }
      }
      writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, {video, 24}, values);
    }
    std::vector<i64> given;
    for (i64 row = 0; row < video; ++row) given.insert(given.end(), {place(row)[0], place(row)[1], place(row)[2]});
    Dump dump = writer.finish();
    const auto* bytes = reinterpret_cast<const std::byte*>(given.data());
    dump.integers.push_back({"position_ids", Dtype::I64, {video, 3}, {bytes, given.size() * sizeof(i64)}});
    EXPECT_EQ(only_cause(check_dumps({dump}, config, 1)), order[1] == 1 ? "" : "axes-exchanged")
        << order[0] << order[1];
  }
}

TEST(JudgeGrid, EachKindOfAxesHasTheOrderOfItsPositions) {
  for (const RopeAxes axes : {RopeAxes::Vision, RopeAxes::VisionAlternating, RopeAxes::VisionInterleaved}) {
    const RopeFormula formula = tower(10000, axes);
    EXPECT_EQ(judge_grid(with_cells(dump_of(formula, cell), cell, false), formula).passed, 1u);
    EXPECT_EQ(only_cause(judge_grid(with_cells(dump_of(formula, swapped), cell, false), formula)), "axes-exchanged");
  }
}

// Whole coordinates in all columns by another theta alone.
TEST(JudgeGrid, AnotherThetaIsFoundWithoutTheOrder) {
  for (const double theta : {1e6, 5e5, 1e5, 2500.0, 12000.0}) {
    const Dump dump = dump_of(tower(theta), cell);
    EXPECT_EQ(only_cause(judge_grid(dump)), "wrong-theta") << theta;
    EXPECT_EQ(only_cause(judge_grid(with_cells(dump, cell, false))), "wrong-theta") << theta;
    EXPECT_EQ(judge_grid(dump, tower(theta)).passed, 1u);
    // Nobody said which it should be.
    EXPECT_TRUE(judge_grid(dump, tower(), false).findings.empty());
  }
  EXPECT_EQ(only_cause(judge_grid(dump_of(tower(1e6), cell, Dtype::BF16))), "wrong-theta");
  // Exponents over the whole width come to the root of theta, and towers may have them.
  EXPECT_TRUE(judge_grid(dump_of(tower(100), cell)).findings.empty());
  // Cells that are no whole numbers.
  const auto stretched = [](i64 row) { return Cell{20 + 1.3 * cell(row)[0], 20 + 1.3 * cell(row)[1]}; };
  EXPECT_TRUE(judge_grid(dump_of(tower(), stretched)).findings.empty());
}

TEST(JudgeGrid, SinOfAFewRowsMayHaveTheWrongSign) {
  const auto mirrored = [](std::initializer_list<i64> rows) {
    const std::vector<i64> list(rows);
    return [list](i64 row) {
      const double sign = std::ranges::count(list, row) ? -1 : 1;
      return Cell{sign * cell(row)[0], sign * cell(row)[1]};
    };
  };
  EXPECT_EQ(only_cause(judge_grid(dump_of(tower(), mirrored({61})))), "sin-sign");
  EXPECT_EQ(only_cause(judge_grid(dump_of(tower(), mirrored({61, 62, 90})))), "sin-sign");
  // Patches that fill up an image stand at (-1, -1), beside one at (1, 1); images may be around 0.
  const auto padded = [](i64 row) { return row >= cells - 8 ? Cell{-1, -1} : cell(row); };
  EXPECT_EQ(judge_grid(dump_of(tower(), padded)).passed, 1u);
  const auto around = [](i64 row) { return Cell{cell(row)[0] - height / 2, cell(row)[1] - breadth / 2}; };
  EXPECT_EQ(judge_grid(dump_of(tower(), around)).passed, 1u);
}

}  // namespace
}  // namespace ropewalk::rope::testing
