// Texts with images in them, whose rows were looked up at the positions of three axes that stand beside them.
#include "lib/rope/judge_cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/rope_table.h"
#include "tests/lib/rope/one_table.h"

namespace ropewalk::rope::testing {
namespace {

constexpr i64 text_rows = 10, image_side = 8, cell_rows = text_rows + image_side * image_side + 6, cell_width = 64;
using Position = std::function<double(i64, i64)>;  // of a row on an axis

RopeFormula formula_of(RopeAxes axes = RopeAxes::Sections, double theta = 10000) {
  RopeFormula formula = plain_formula(cell_width, 4096);
  formula.theta = theta;
  formula.axes = axes;
  formula.sections = axes == RopeAxes::Ernie ? std::vector<i64>{11, 11, 10} : std::vector<i64>{8, 12, 12};
  return formula;
}

double right_position(i64 row, i64 axis) {
  if (row < text_rows) return double(row);
  const i64 n = row - text_rows;
  if (n >= image_side * image_side) return double(text_rows + image_side + n - image_side * image_side);
  return double(text_rows) + double(axis == 0 ? 0 : axis == 1 ? n / image_side : n % image_side);
}

// `tables`: of a batch. The positions are [3, tables, rows], or [4, tables, rows] with those of the text in front.
Dump dump_of(const RopeFormula& formula, const Position& position, i64 given_axes = 3, i64 tables = 1,
             const Position& given = right_position) {
  const std::vector<double> w = reference::rope_frequencies(formula, cell_rows).frequency;
  DumpWriter writer("t.safetensors");
  for (const bool is_sin : {false, true}) {
    std::vector<float> values;
    for (i64 n = 0; n < tables * cell_rows; ++n) {
      for (i64 column = 0; column < cell_width; ++column) {
        const i64 pair = column % (cell_width / 2);
        const double angle = position(n % cell_rows, reference::rope_axis(formula, pair)) * w[size_t(pair)];
        values.push_back(float(is_sin ? std::sin(angle) : std::cos(angle)));
      }
    }
    writer.add_tensor(is_sin ? "sin" : "cos", Dtype::F32, {tables, cell_rows, cell_width}, values);
  }
  Dump dump = writer.finish();
  const auto kept = std::make_shared<std::vector<i64>>();
  for (i64 axis = 3 - given_axes; axis < 3; ++axis) {
    for (i64 n = 0; n < tables * cell_rows; ++n)
      kept->push_back(axis < 0 ? n % cell_rows : i64(given(n % cell_rows, axis)));
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(kept->data());
  dump.integers.push_back(
      {"position_ids", Dtype::I64, {given_axes, tables, cell_rows}, {bytes, kept->size() * sizeof(i64)}});
  dump.owner =
      std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<std::vector<i64>>>>(dump.owner, kept);
  return dump;
}

CacheAnswer judge_cells(const Dump& dump, const RopeFormula& formula = formula_of()) {
  return check_dumps({dump}, config_for(formula), 1);
}

// The columns of each axis turn by the position on another one.
Position moved(i64 time, i64 height, i64 wide) {
  return [=](i64 row, i64 axis) { return right_position(row, axis == 0 ? time : axis == 1 ? height : wide); };
}

TEST(JudgeCells, RowsAtThePositionsBesideThemAreRight) {
  for (const RopeAxes axes : {RopeAxes::Sections, RopeAxes::InterleavedSections, RopeAxes::Ernie}) {
    for (const i64 given_axes : {3, 4}) {
      for (const i64 tables : {1, 2}) {
        const CacheAnswer answer =
            judge_cells(dump_of(formula_of(axes), right_position, given_axes, tables), formula_of(axes));
        EXPECT_EQ(only_cause(answer), "") << int(axes) << " " << given_axes << " " << tables;
        EXPECT_EQ(answer.passed, u64(tables));
      }
    }
  }
}

TEST(JudgeCells, ColumnsMayTurnByAnotherAxis) {
  for (const RopeAxes axes : {RopeAxes::Sections, RopeAxes::InterleavedSections, RopeAxes::Ernie}) {
    const RopeFormula formula = formula_of(axes);
    for (const Position& position : {moved(0, 2, 1), moved(2, 0, 1), moved(0, 0, 0), moved(1, 1, 1), moved(0, 1, 1)}) {
      EXPECT_EQ(only_cause(judge_cells(dump_of(formula, position), formula)), "axes-exchanged") << int(axes);
      EXPECT_EQ(only_cause(judge_cells(dump_of(formula, position, 4), formula)), "axes-exchanged") << int(axes);
    }
  }
  const auto words = [](const Position& position) {
    return judge_cells(dump_of(formula_of(), position)).findings.at(0).cause->text;
  };
  EXPECT_EQ(words(moved(0, 2, 1)),
            "columns turn by the position on another axis: those of height by width, those of width by height");
  EXPECT_EQ(words(moved(0, 0, 0)),
            "all columns turn by the position on the time axis; those of each axis should turn by its own");
}

TEST(JudgeCells, TheAxesMayHaveOtherColumns) {
  RopeFormula reversed = formula_of();
  reversed.sections = {12, 12, 8};
  for (const RopeFormula& other : {formula_of(RopeAxes::InterleavedSections), reversed}) {
    EXPECT_EQ(only_cause(judge_cells(dump_of(other, right_position))), "axes-exchanged");
    EXPECT_EQ(only_cause(judge_cells(dump_of(other, right_position), other)), "");
  }
}

// The formula is compared with the rows at their positions.
TEST(JudgeCells, OtherCausesAreFoundAtTheCells) {
  EXPECT_EQ(only_cause(judge_cells(dump_of(formula_of(RopeAxes::Sections, 5e5), right_position))), "wrong-theta");
  EXPECT_EQ(
      only_cause(judge_cells(dump_of(formula_of(), [](i64 row, i64 axis) { return -right_position(row, axis); }))),
      "sin-sign");
  EXPECT_EQ(only_cause(judge_cells(
                dump_of(formula_of(), [](i64 row, i64 axis) { return row == 30 ? NAN : right_position(row, axis); }))),
            "not-a-number");
  EXPECT_EQ(
      only_cause(judge_cells(dump_of(formula_of(), [](i64 row, i64 axis) { return right_position(row, axis) + 3; }))),
      "position-shift");
}

// Rows from 0 are the table that positions look up, where they are enough for the model.
TEST(JudgeCells, RowsFromZeroMayBeTheWholeTable) {
  const Dump dump = dump_of(formula_of(), [](i64 row, i64) { return double(row); });
  EXPECT_EQ(only_cause(judge_cells(dump)), "position-shift");
  RopeFormula small = formula_of();
  small.max_positions = cell_rows;
  EXPECT_EQ(only_cause(judge_cells(dump, small)), "");
}

// Positions may belong to something else.
TEST(JudgeCells, RowsAtOtherCellsAreNoted) {
  const auto elsewhere = [](i64 row, i64 axis) { return double((row * (7 + axis) + axis) % 31); };
  EXPECT_EQ(only_cause(judge_cells(dump_of(formula_of(), right_position, 3, 1, elsewhere))), "");
}

}  // namespace
}  // namespace ropewalk::rope::testing
