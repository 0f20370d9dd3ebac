#include "reports/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace ropewalk {
namespace {

constexpr i64 max_columns = 64;
constexpr i64 lines_inside = 4;   // of the tensor itself
constexpr i64 lines_outside = 2;  // before its start, and past its end

i64 divide_up(i64 a, i64 b) { return a / b + (a % b != 0); }
i64 divide_down(i64 a, i64 b) { return a / b - (a % b != 0 && a < 0); }

// The tensor seen as a grid, and how many of its columns a character covers.
struct Grid {
  i64 elements = 0;  // of the tensor
  i64 width = 1;     // elements of a row
  i64 rows = 1;
  i64 per_cell = 1;   // elements of a character within a row
  bool flat = false;  // one dimension: labels count elements, not rows

  i64 cells() const { return divide_up(width, per_cell); }
  i64 row_of(i64 element) const { return divide_down(element, width); }
};

Grid grid_of(const std::vector<i64>& shape) {
  Grid grid;
  grid.elements = std::accumulate(shape.begin(), shape.end(), i64{1}, std::multiplies<>());
  grid.flat = shape.size() < 2 || grid.elements == shape.back();
  grid.width = std::max<i64>(1, grid.flat ? grid.elements : shape.back());
  grid.per_cell = divide_up(grid.width, max_columns);
  if (grid.flat && grid.width > max_columns) {  // folded into lines of equal length
    grid.per_cell = divide_up(grid.elements, max_columns * lines_inside);
    grid.width = max_columns * grid.per_cell;
  }
  grid.rows = std::max<i64>(1, divide_up(grid.elements, grid.width));
  return grid;
}

struct Line {
  std::string label;
  std::string cells;
  std::string remark;
};

// A band of consecutive rows [first, last), drawn in at most `lines` lines.
struct Band {
  i64 first = 0, last = 0;
  i64 lines = 1;
  std::string remark;  // stands at the band's first line
};

std::string label_of(const Grid& grid, i64 first_row, i64 last_row) {
  const i64 unit = grid.flat ? grid.width : 1;
  const i64 first = first_row * unit;
  const i64 last = last_row * unit - 1;
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

void draw(const Grid& grid, const Band& band, const std::vector<i64>& elements, std::vector<Line>& out) {
  const i64 rows_a_line = divide_up(band.last - band.first, band.lines);
  const size_t first_line = out.size();
  for (i64 row = band.first; row < band.last; row += rows_a_line) {
    const i64 end = std::min(band.last, row + rows_a_line);
    out.push_back({label_of(grid, row, end), std::string(size_t(grid.cells()), '.'), ""});
  }
  if (out.size() > first_line) out[first_line].remark = band.remark;
  const auto begin = std::lower_bound(elements.begin(), elements.end(), band.first * grid.width);
  for (auto element = begin; element != elements.end() && *element < band.last * grid.width; ++element) {
    const i64 row = grid.row_of(*element);
    const bool inside = *element >= 0 && *element < grid.elements;
    const size_t line = first_line + size_t((row - band.first) / rows_a_line);
    char& cell = out[line].cells[size_t((*element - row * grid.width) / grid.per_cell)];
    if (cell != 'X') cell = inside ? 'o' : 'X';
  }
}

std::string scale_of(const Grid& grid, const Footprint& footprint) {
  const char* const unit = grid.per_cell == 1 ? "element" : "elements";
  std::string text =
      grid.flat ? fmt::format("a character is {} {}", grid.per_cell, unit)
                : fmt::format("rows of {} elements, a character is {} {} wide", grid.width, grid.per_cell, unit);
  const bool inside = std::any_of(footprint.elements.begin(), footprint.elements.end(),
                                  [&](i64 element) { return element >= 0 && element < grid.elements; });
  const bool outside = footprint.elements.front() < 0 || footprint.elements.back() >= grid.elements;
  if (inside) text += "; o inside";
  if (outside) text += "; X outside";
  if (!footprint.complete) text += "; a sample of the hits";
  return text;
}

}  // namespace

std::vector<std::string> picture_of(const Footprint& footprint) {
  if (footprint.elements.empty()) return {};
  std::vector<i64> elements = footprint.elements;
  std::sort(elements.begin(), elements.end());
  const Grid grid = grid_of(footprint.shape);
  const i64 first_hit = grid.row_of(elements.front());
  const i64 last_hit = grid.row_of(elements.back());

  std::vector<Line> lines;
  if (first_hit < 0) {
    const auto past = std::lower_bound(elements.begin(), elements.end(), i64{0});
    draw(grid, {first_hit, grid.row_of(*(past - 1)) + 1, lines_outside, "before the start"}, elements, lines);
  }
  draw(grid, {0, grid.rows, lines_inside, ""}, elements, lines);
  if (last_hit >= grid.rows) {
    const auto past = std::lower_bound(elements.begin(), elements.end(), grid.rows * grid.width);
    draw(grid, {grid.row_of(*past), last_hit + 1, lines_outside, "past the end"}, elements, lines);
  }

  size_t label_width = 0;
  for (const Line& line : lines) label_width = std::max(label_width, line.label.size());
  std::vector<std::string> out;
  for (const Line& line : lines) {
    out.push_back(fmt::format("{:>{}} |{}|{}{}", line.label, label_width, line.cells, line.remark.empty() ? "" : " ",
                              line.remark));
  }
  out.push_back(fmt::format("{:>{}}  {}", "", label_width, scale_of(grid, footprint)));
  return out;
}

}  // namespace ropewalk
