#include "lib/rope/grid_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "lib/rope/judge_table.h"
#include "lib/rope/measure.h"

namespace ropewalk::rope {

using reference::RopeFrequencies;

namespace {

constexpr size_t most_rows = 2048;
constexpr double farthest = 65536;
// DINOv3 and its kin have coordinates from -1 to 1, times 2 pi, which training may stretch to twice that.
constexpr double widest_coordinate = 4 * std::numbers::pi;

// The columns of one axis, as a table of their own.
struct Axis {
  TableSample sample;
  RopeFrequencies frequencies;
};

Axis axis_of(const TableSample& whole, const std::function<i64(i64)>& axis_by_pair, const RopeFrequencies& all,
             i64 axis) {
  std::vector<i64> pairs;
  for (i64 pair = 0; pair < whole.pairs; ++pair) {
    if (axis_by_pair(pair) == axis) pairs.push_back(pair);
  }
  Axis out{{whole.rows, i64(pairs.size()), true, true, {}, {}}, {{}, {}, all.attention}};
  for (const i64 pair : pairs) {
    out.frequencies.frequency.push_back(all.frequency[size_t(pair)]);
    out.frequencies.error.push_back(all.error[size_t(pair)]);
  }
  for (size_t n = 0; n < whole.rows.size(); ++n) {
    for (const i64 pair : pairs) {
      out.sample.cosine.push_back(whole.cosine[whole.at(n, pair)]);
      out.sample.sine.push_back(whole.sine[whole.at(n, pair)]);
    }
  }
  return out;
}

// Where row n stands on the axis; nullopt: nowhere.
std::optional<double> cell_of(const Axis& axis, size_t n, const reference::RopeBound& bound) {
  std::optional<double> at = measured_position(axis.sample, n, axis.frequencies, farthest);
  if (!at) return std::nullopt;
  double slack = 0;  // of a coordinate that is no whole number, read off the fastest columns
  if (std::abs(*at - std::round(*at)) < 0.01) {
    at = std::round(*at);
  } else if (std::abs(*at) > widest_coordinate) {
    return std::nullopt;
  } else {
    slack = 8 * (bound.constant + bound.relative) / axis.frequencies.frequency[0];
  }
  for (i64 pair = 0; pair < axis.sample.pairs; ++pair) {
    const double w = axis.frequencies.frequency[size_t(pair)], angle = *at * w;
    const double c = bound.attention * std::cos(angle), s = bound.attention * std::sin(angle);
    const size_t element = axis.sample.at(n, pair);
    if (!(std::abs(axis.sample.cosine[element] - c) <= bound.at(pair, *at, c) + w * slack)) return std::nullopt;
    if (!(std::abs(axis.sample.sine[element] - s) <= bound.at(pair, *at, s) + w * slack)) return std::nullopt;
  }
  return at;
}

// Rows on the wrong side of 0 among others on the right side, where a cell is missing at the place of each: those
// around 0 have cells on both sides of one axis, and what fills up an image has the places of others.
std::vector<i64> mirrored_rows(const GridRows& grid) {
  std::set<std::vector<i64>> right;
  std::map<i64, std::vector<i64>> mirrored;  // where they should be
  std::vector<i64> far(grid.places.size());
  for (size_t n = 0; n < grid.rows.size(); ++n) {
    std::vector<i64> cell;
    for (const std::vector<double>& axis : grid.places) cell.push_back(axis.empty() ? 0 : i64(axis[n]));
    const auto [low, high] = std::minmax_element(cell.begin(), cell.end());
    if (*low < 0 && *high > 0) return {};
    if (*low < 0) {
      for (i64& at : cell) at = -at;
      mirrored[grid.rows[n]] = std::move(cell);
      continue;
    }
    for (size_t axis = 0; axis < cell.size(); ++axis) far[axis] = std::max(far[axis], cell[axis]);
    right.insert(std::move(cell));
  }
  std::vector<i64> rows;
  for (const auto& [row, cell] : mirrored) {
    for (size_t axis = 0; axis < cell.size(); ++axis) {
      if (cell[axis] > far[axis]) return {};
    }
    if (right.count(cell)) return {};
    rows.push_back(row);
  }
  return rows;
}

// What the coordinates say. `complete`: they are those of all rows.
void settle_cells(GridRows& grid, bool complete) {
  bool above = false, below = false, falls = false, rises = false;
  grid.whole = true;
  for (const std::vector<double>& places : grid.places) {
    if (places.empty()) continue;
    const auto [low, high] = std::minmax_element(places.begin(), places.end());
    above |= *high > 0.01;
    below |= *low < -0.01;
    falls |= places.front() > places.back() + 0.01;
    rises |= places.front() < places.back() - 0.01;
    grid.whole &= std::all_of(places.begin(), places.end(), [](double at) { return at == std::round(at); });
  }
  grid.cells = Cells::Right;
  if (below && !above) {
    grid.cells = Cells::Mirrored;
  } else if (below && !grid.whole && falls && !rises) {
    grid.cells = Cells::Reversed;
  } else if (below && grid.whole && complete) {
    grid.mirrored = mirrored_rows(grid);
    if (!grid.mirrored.empty()) grid.cells = Cells::SomeMirrored;
  }
}

// `must_differ`: some row must stand at other places on one axis than on another.
GridRows rows_by_axes(const TableSample& sample, const RopeFrequencies& all,
                      const std::function<i64(i64)>& axis_by_pair, i64 axes, Dtype dtype, bool must_differ) {
  GridRows grid;
  grid.rows = sample.rows;
  grid.places.resize(size_t(axes));
  std::vector<double> last(sample.rows.size(), NAN);
  bool differ = false;
  for (i64 number = 0; number < axes; ++number) {
    const Axis axis = axis_of(sample, axis_by_pair, all, number);
    if (axis.sample.pairs == 0) continue;
    const reference::RopeBound bound(axis.frequencies, dtype);
    for (size_t n = 0; n < sample.rows.size(); ++n) {
      const std::optional<double> at = cell_of(axis, n, bound);
      if (!at) return grid;
      differ |= std::abs(last[n] - *at) > 0.5;
      last[n] = *at;
      grid.places[size_t(number)].push_back(*at);
    }
  }
  if (differ || !must_differ) settle_cells(grid, i64(sample.rows.size()) == sample.rows.back() + 1);
  return grid;
}

}  // namespace

bool is_grid(RopeAxes axes) {
  return axes == RopeAxes::Vision || axes == RopeAxes::VisionInterleaved || axes == RopeAxes::VisionAlternating ||
         axes == RopeAxes::Series;
}

GridRows grid_rows(const CacheTable& table, const RopeFormula& formula, Dtype dtype) {
  if (formula.axes == RopeAxes::One || formula.pairs() != table.pairs()) return {};
  const RopeFrequencies all = reference::rope_frequencies(formula, table.rows);
  const TableSample sample = sample_of(table, telling_rows(table.rows, most_rows));
  if (!sample.has_cos || !sample.has_sin) return {};
  for (const Plane& plane : table.planes) {
    for (const i64 row : sample.rows) {
      for (i64 column = 0; column < plane.columns; ++column) {
        const i64 first = plane.column_of(plane.pair_of(column), plane.trig_of(column));
        if (plane.at(row, column) != plane.at(row, first)) return {};
      }
    }
  }
  const i64 axes = axes_of(formula.axes);
  // Rows of a text without images are positions, and are judged as such.
  const bool in_text = !is_grid(formula.axes);
  GridRows grid = rows_by_axes(
      sample, all, [&](i64 pair) { return reference::rope_axis(formula, pair); }, axes, dtype, in_text);
  if (grid.cells != Cells::None || formula.axes != RopeAxes::VisionInterleaved) return grid;
  // Pixtral's columns stand by axes: those of the row before those of the column.
  const RopeFrequencies sorted = frequencies_by_axes(formula, all);
  return rows_by_axes(
      sample, sorted, [&](i64 pair) { return pair < table.pairs() / 2 ? 0 : 1; }, axes, dtype, false);
}

}  // namespace ropewalk::rope
