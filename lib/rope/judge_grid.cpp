#include "lib/rope/judge_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "lib/rope/grid_tables.h"

namespace ropewalk::rope {
namespace {

constexpr const char* reversed = "its cells are in reverse order, or its sin has the wrong sign; nothing tells which";

void blame_sign(JudgedTable& one, const GridRows& grid) {
  TableVerdict& verdict = one.verdict;
  verdict.cause = "sin-sign";
  verdict.advice = "rotate by the positive angle: (x cos - y sin, x sin + y cos)";
  if (grid.mirrored.empty()) {
    verdict.text = "sin has the wrong sign everywhere";
    verdict.evidence = {fmt::format(
        "as it is, every row stands at a cell whose coordinates on {} axes are 0 or below; with the other sign of sin, "
        "at one whose coordinates are 0 or above",
        grid.places.size())};
    return;
  }
  const size_t count = grid.mirrored.size();
  verdict.first_row = grid.mirrored.front();
  verdict.text = count == 1 ? fmt::format("sin has the wrong sign in row {}", grid.mirrored.front())
                            : fmt::format("sin has the wrong sign in {} rows, row {} first", count, verdict.first_row);
  verdict.evidence = {
      fmt::format("the coordinates of {} are 0 or below, those of the {} other rows are 0 or above",
                  count == 1 ? "that row" : "those rows", grid.rows.size() - count),
      fmt::format("with the other sign of sin {} at a cell of the same grid at which no other row stands",
                  count == 1 ? "it stands" : "each stands")};
}

// Where the cells of a table stand against those that its file gives.
struct Against {
  size_t equal = 0;               // rows
  std::optional<size_t> differs;  // the first that is not equal, by its number in the sample
  std::vector<i64> shift;         // on each axis, of every row; empty: it is not the same
  std::vector<size_t> axes;       // the axis of the file whose positions every row has on each; empty: there is none
};

Against against_given(const GridRows& grid, const GivenCells& given) {
  Against out;
  const size_t axes = given.size();
  const auto at = [&](size_t axis, size_t n) { return i64(grid.places[axis][n]); };
  const auto wanted = [&](size_t axis, size_t n) { return given[axis][size_t(grid.rows[n])]; };
  for (size_t n = 0; n < grid.rows.size(); ++n) {
    std::vector<i64> shift;
    for (size_t axis = 0; axis < axes; ++axis) shift.push_back(at(axis, n) - wanted(axis, n));
    const bool equal = std::ranges::all_of(shift, [](i64 by) { return by == 0; });
    out.equal += equal;
    if (!equal && !out.differs) out.differs = n;
    if (n == 0) out.shift = shift;
    if (shift != out.shift) out.shift.clear();
  }
  std::vector<size_t> order(axes);
  std::iota(order.begin(), order.end(), size_t(0));
  while (out.axes.empty() && std::ranges::next_permutation(order).found) {
    bool all = true;
    for (size_t n = 0; n < grid.rows.size() && all; ++n) {
      for (size_t axis = 0; axis < axes; ++axis) all &= at(axis, n) == wanted(order[axis], n);
    }
    if (all) out.axes = order;
  }
  return out;
}

// Whether no more than height and width, the last two, are exchanged.
bool are_last_exchanged(const std::vector<size_t>& axes) { return axes.size() == 2 || axes[0] == 0; }

// Positions in the file may belong to something else than its table: rows at other cells are wrong where one rule leads
// from the ones to the others, or where most rows are right.
void compare_with_given(JudgedTable& one, const GridRows& grid, KnownOfGrid known, std::string& note) {
  const GivenCells& given = one.table->given_cells;
  const auto has_places = [&](const std::vector<double>& axis) { return axis.size() == grid.rows.size(); };
  if (!grid.whole || given.size() != grid.places.size() || !std::ranges::all_of(grid.places, has_places)) return;
  const Against against = against_given(grid, given);
  // Tables of time, height and width have them in that order.
  const bool order_known = known.order || (known.theta && given.size() == 3);
  const size_t rows = grid.rows.size();
  TableVerdict& verdict = one.verdict;
  if (against.equal == rows) {
    note += ", those that stand beside it in its file";
    return;
  }
  if (!against.shift.empty()) {
    verdict.cause = "position-shift";
    verdict.text = fmt::format("every row stands ({}) away from the cell that its file gives",
                               fmt::format("{:+}", fmt::join(against.shift, ", ")));
    verdict.advice = "look the rows up at the positions themselves";
  } else if (!against.axes.empty() && !order_known && are_last_exchanged(against.axes)) {
    note += ", those that stand beside it in its file, width first";
    return;
  } else if (!against.axes.empty()) {
    verdict.cause = "axes-exchanged";
    verdict.text = given.size() == 2
                       ? "the two axes are exchanged: each has the positions that the file gives for the other one"
                       : fmt::format("axes are exchanged: axes 0, 1, 2 have the positions that the file gives for {}",
                                     fmt::join(against.axes, ", "));
    verdict.advice = "let the columns of each axis turn by the position on that axis";
  } else if (against.equal * 2 > rows) {
    verdict.text = "no cause that is known here explains the rows";
  } else {
    note += ", but not those that stand beside it in its file";
    return;
  }
  verdict.healthy = false;
  const size_t n = *against.differs;  // not all are equal
  std::vector<i64> is, should_be;
  for (size_t axis = 0; axis < given.size(); ++axis) {
    is.push_back(i64(grid.places[axis][n]));
    should_be.push_back(given[axis][size_t(grid.rows[n])]);
  }
  verdict.first_row = grid.rows[n];
  verdict.evidence = {fmt::format("row {} stands at ({}), and its file gives ({})", grid.rows[n], fmt::join(is, ", "),
                                  fmt::join(should_be, ", ")),
                      fmt::format("{} of {} rows stand at the cell that the file gives", against.equal, rows)};
}

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

// Theta by rows that follow one another on an axis, which its first pair tells: it turns by 1. 0: there are none.
double measured_theta(const CacheTable& table, const RopeFormula& formula, Dtype dtype) {
  const TableSample sample = sample_of(table, telling_rows(table.rows, 512));
  if (!sample.has_cos || !sample.has_sin) return 0;
  const double near = dtype == Dtype::F32 || dtype == Dtype::F64 ? 1e-3 : 0.02;
  const std::vector<double> w = reference::rope_frequencies(formula, table.rows).frequency;
  const auto step = [&](size_t n, i64 pair) {
    const auto angle = [&](size_t row) {
      return std::atan2(sample.sine[sample.at(row, pair)], sample.cosine[sample.at(row, pair)]);
    };
    return wrapped(angle(n + 1) - angle(n));
  };
  std::vector<double> logs;
  for (i64 first = 0; first < sample.pairs; ++first) {
    if (w[size_t(first)] != 1) continue;
    for (size_t n = 0; n + 1 < sample.rows.size(); ++n) {
      if (!(std::abs(step(n, first) - 1) < near)) continue;
      for (i64 pair = 0; pair < sample.pairs; ++pair) {
        if (reference::rope_axis(formula, pair) != reference::rope_axis(formula, first) || w[size_t(pair)] == 1)
          continue;
        const double turned = step(n, pair), exponent = -std::log(w[size_t(pair)]) / std::log(formula.theta);
        if (turned > 0.03 && turned < 0.9) logs.push_back(-std::log(turned) / exponent);
      }
    }
  }
  if (logs.size() < 4) return 0;
  std::ranges::nth_element(logs, logs.begin() + i64(logs.size() / 2));
  return std::exp(logs[logs.size() / 2]);
}

// Of one digit, where it is near that.
double rounded_theta(double theta) {
  const double unit = std::pow(10.0, std::floor(std::log10(theta)));
  const double rounded = std::round(theta / unit * 2) / 2 * unit;
  return std::abs(rounded - theta) < 0.02 * theta ? rounded : theta;
}

// Exponents over the whole width in place of one axis's half, or the other way around: towers that are not known here
// may have them.
bool is_other_exponents(double theta, double of) {
  const double power = std::log(theta) / std::log(of);
  return std::ranges::any_of(std::array{0.5, 1.0, 2.0}, [&](double known) { return std::abs(power - known) < 1e-3; });
}

// Whether all rows stand at whole cells by another theta.
bool explain_theta(JudgedTable& one, const RopeFormula& formula) {
  if (formula.type != RopeType::Default || formula.pairs() != one.table->pairs()) return false;
  const Dtype dtype = rounding_of(*one.table).coarser();
  std::vector<double> thetas;
  if (const double measured = measured_theta(*one.table, formula, dtype); measured > 1.5 && measured < 1e15)
    thetas = {rounded_theta(measured), measured};
  for (const double common : {1e4, 1e5, 5e5, 1e6, 1e7, 1e3}) thetas.push_back(common);
  for (const double theta : thetas) {
    if (is_other_exponents(theta, formula.theta)) continue;
    RopeFormula other = formula;
    other.theta = theta;
    const GridRows grid = grid_rows(*one.table, other, dtype);
    if (grid.cells != Cells::Right || !grid.whole) continue;
    TableVerdict verdict;
    verdict.cause = "wrong-theta";
    verdict.text = fmt::format("theta is {:.7g} in place of {:.10g}", theta, formula.theta);
    verdict.advice = "read rope_theta (and rope_parameters) from the configuration; 10000 is only its default";
    verdict.evidence = {
        fmt::format("by {:.7g} all {} rows that were looked at stand at whole coordinates on {} axes, in all {} pairs",
                    theta, grid.rows.size(), grid.places.size(), formula.pairs()),
        fmt::format("by {:.10g} some row stands nowhere", formula.theta)};
    one.task.formula = formula;
    one.verdict = std::move(verdict);
    return true;
  }
  return false;
}

}  // namespace

bool judge_on_grid(JudgedTable& one, const std::vector<RopeFormula>& formulas, KnownOfGrid known, std::string& note) {
  for (const RopeFormula& formula : formulas) {
    const GridRows grid = grid_rows(*one.table, formula, rounding_of(*one.table).coarser());
    if (grid.cells == Cells::None) continue;
    one.task.formula = formula;
    one.verdict = {};
    one.on_a_grid = true;
    one.verdict.healthy = grid.cells == Cells::Right;
    note = fmt::format("rows of table {} are cells of a grid, at positions of {} axes", one.name_of_all(),
                       axes_of(formula.axes));
    if (grid.cells == Cells::Reversed) one.open = reversed;
    if (grid.cells == Cells::Mirrored || grid.cells == Cells::SomeMirrored) blame_sign(one, grid);
    if (grid.cells == Cells::Right && one.table->given_cells.empty())
      note += "; which of them stands where is not checked without position_ids in the file";
    if (grid.cells == Cells::Right) compare_with_given(one, grid, known, note);
    return true;
  }
  if (!known.theta) return false;
  for (const RopeFormula& formula : formulas) {
    if (!is_grid(formula.axes) || !explain_theta(one, formula)) continue;
    one.on_a_grid = true;
    note = fmt::format("rows of table {} are cells of a grid, at positions of {} axes", one.name_of_all(),
                       axes_of(formula.axes));
    return true;
  }
  return false;
}

}  // namespace ropewalk::rope
