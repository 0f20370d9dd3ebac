#include "lib/rope/holds_angles.h"

#include <algorithm>
#include <cmath>

#include "lib/rope/sample.h"

namespace ropewalk::rope {
namespace {

constexpr size_t rows_compared = 96, axes_at_most = 3;
constexpr double beyond_any_cos = 4;  // attention factors are below 2
constexpr double rounding = 0x1p-7;   // of bf16, of both factors of a product

using Column = std::vector<double>;

size_t largest_of(const Column& column) {
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return size_t(std::max_element(column.begin(), column.end(), smaller) - column.begin());
}

// Whether one column is the other times one number.
bool is_multiple(const Column& one, const Column& of) {
  const size_t at = largest_of(of);
  for (size_t n = 0; n < of.size(); ++n) {
    const double left = one[n] * of[at], right = one[at] * of[n];
    if (!(std::abs(left - right) <= rounding * std::max(std::abs(left), std::abs(right)) + 1e-6)) return false;
  }
  return true;
}

}  // namespace

bool holds_angles(const Plane& plane) {
  if (plane.rows < 3 || plane.columns < 2) return false;
  const std::vector<i64> rows = telling_rows(plane.rows, rows_compared);
  std::vector<Column> axes;  // the first column of each
  double largest = 0, least = HUGE_VAL, span = 0;
  for (i64 c = 0; c < plane.columns; ++c) {
    Column column;
    for (const i64 row : rows) column.push_back(plane.at(row, c));
    const double height = std::abs(column[largest_of(column)]);
    if (!std::isfinite(height)) return false;
    if (height == 0) continue;  // all rows stand at 0 of its axis
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    span = std::max(span, *high - *low);
    largest = std::max(largest, height);
    least = std::min(least, height);
    if (std::any_of(axes.begin(), axes.end(), [&](const Column& axis) { return is_multiple(column, axis); })) continue;
    axes.push_back(std::move(column));
    if (axes.size() > axes_at_most) return false;
  }
  // Memory that holds one number throughout has no positions, and no frequencies.
  return span > beyond_any_cos && least < largest / 2;
}

}  // namespace ropewalk::rope
