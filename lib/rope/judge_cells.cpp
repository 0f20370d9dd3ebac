#include "lib/rope/judge_cells.h"

#include <algorithm>
#include <cmath>

#include "lib/rope/grid_tables.h"
#include "lib/rope/short_tables.h"

namespace ropewalk::rope {

std::function<double(i64, i64)> positions_in(const GivenCells& cells, const RopeFormula& formula) {
  return [cells, formula](i64 row, i64 pair) {
    return double(cells[size_t(reference::rope_axis(formula, pair))][size_t(row)]);
  };
}

StreamVerdict compare_cells(const CacheTable& table, const Model& right, const Rounding& rounding) {
  StreamVerdict verdict;
  verdict.row_is_wrong.assign(size_t(table.rows + 63) / 64, 0);
  verdict.wrong_by_plane.assign(table.planes.size(), 0);
  const RopeBounds bounds(right.frequencies, rounding);
  for (i64 row = 0; row < table.rows; ++row) {
    const i64 wrong_before = verdict.wrong;
    for (size_t p = 0; p < table.planes.size(); ++p) {
      const Plane& plane = table.planes[p];
      for (i64 column = 0; column < plane.columns; ++column) {
        const i64 pair = plane.pair_of(column);
        const Trig trig = plane.trig_of(column);
        const double expected = right.value_at(row, pair, trig), got = plane.at(row, column);
        const double allowed = right.bound_at(bounds.of(trig), row, pair, trig, expected);
        ++verdict.values;
        if (std::abs(got - expected) <= allowed) continue;
        ++verdict.wrong;
        ++verdict.wrong_by_plane[p];
        const WrongValue value{p, row, column, i64(right.position_at(row, pair)), got, expected, allowed};
        if (!verdict.first) verdict.first = verdict.worst = value;
        const auto excess = [](const WrongValue& one) { return std::abs(one.got - one.expected) - one.bound; };
        if (!(excess(value) <= excess(*verdict.worst))) verdict.worst = value;
      }
    }
    if (verdict.wrong == wrong_before) continue;
    ++verdict.wrong_rows;
    verdict.row_is_wrong[size_t(row / 64)] |= u64(1) << (row % 64);
  }
  return verdict;
}

bool stands_at_cells(const CacheTable& table, const TableTask& task) {
  const RopeFormula& formula = task.formula;
  const i64 axes = axes_of(formula.axes);
  if (axes < 2 || is_grid(formula.axes) || i64(table.given_cells.size()) != axes || !table.given.empty()) return false;
  if (formula.pairs() != table.pairs() || formula.xpos_scale_base) return false;
  const bool is_whole = table.rows >= formula.max_positions;
  return !is_whole || quick_share(table, task) < 0.999;
}

}  // namespace ropewalk::rope
