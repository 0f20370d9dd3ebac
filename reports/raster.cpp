#include "reports/raster.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace ropewalk::reports {
namespace {

i64 divide_up(i64 a, i64 b) { return a / b + (a % b != 0); }
i64 divide_down(i64 a, i64 b) { return a / b - (a % b != 0 && a < 0); }

Raster empty_raster(const std::vector<i64>& shape, const RasterLimits& limits) {
  Raster raster;
  raster.elements = std::accumulate(shape.begin(), shape.end(), i64{1}, std::multiplies<>());
  raster.flat = shape.size() < 2 || raster.elements == shape.back();
  raster.width = std::max<i64>(1, raster.flat ? raster.elements : shape.back());
  raster.per_cell = divide_up(raster.width, limits.columns);
  if (raster.flat && raster.width > limits.columns) {  // folded into lines of equal length
    raster.per_cell = divide_up(raster.elements, limits.columns * limits.lines_inside);
    raster.width = limits.columns * raster.per_cell;
  }
  return raster;
}

// Rows [first, last) in at most `lines` lines, with the elements that were hit.
RasterBand band_of(const Raster& raster, RasterBand::Where where, i64 first, i64 last, i64 lines,
                   const Footprint& footprint) {
  RasterBand band{where, {}};
  const i64 rows_a_line = divide_up(last - first, lines);
  const i64 columns = divide_up(raster.width, raster.per_cell);
  for (i64 row = first; row < last; row += rows_a_line) {
    const i64 end = std::min(last, row + rows_a_line);
    RasterLine line{row, end, std::vector<RasterCell>(size_t(columns))};
    for (i64 column = 0; column < columns; ++column) {
      const i64 wide = std::min(raster.per_cell, raster.width - column * raster.per_cell);
      line.cells[size_t(column)].elements = u64(wide) * u64(end - row);
    }
    band.lines.push_back(std::move(line));
  }
  const std::vector<i64>& elements = footprint.elements;
  const auto begin = std::lower_bound(elements.begin(), elements.end(), first * raster.width);
  for (auto element = begin; element != elements.end() && *element < last * raster.width; ++element) {
    const i64 row = divide_down(*element, raster.width);
    RasterLine& line = band.lines[size_t((row - first) / rows_a_line)];
    RasterCell& cell = line.cells[size_t((*element - row * raster.width) / raster.per_cell)];
    ++(*element >= 0 && *element < raster.elements ? cell.inside : cell.outside);
    if (raster.has_errors) cell.error = std::max(cell.error, footprint.errors[size_t(element - elements.begin())]);
  }
  return band;
}

}  // namespace

std::string Raster::label_of(const RasterLine& line) const {
  const i64 unit = flat ? width : 1;
  const i64 first = line.first_row * unit;
  const i64 last = line.last_row * unit - 1;
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

Raster raster_of(const Footprint& footprint, const RasterLimits& limits) {
  Raster raster = empty_raster(footprint.shape, limits);
  if (footprint.elements.empty()) return raster;
  const std::vector<i64>& elements = footprint.elements;
  raster.has_errors = footprint.errors.size() == elements.size();
  const i64 rows = std::max<i64>(1, divide_up(raster.elements, raster.width));
  const i64 first_hit = divide_down(elements.front(), raster.width);
  const i64 last_hit = divide_down(elements.back(), raster.width);
  using Where = RasterBand::Where;
  if (first_hit < 0) {
    const i64 last = *(std::lower_bound(elements.begin(), elements.end(), i64{0}) - 1);
    raster.bands.push_back(band_of(raster, Where::Before, first_hit, divide_down(last, raster.width) + 1,
                                   limits.lines_outside, footprint));
  }
  raster.bands.push_back(band_of(raster, Where::Inside, 0, rows, limits.lines_inside, footprint));
  if (last_hit >= rows) {
    const i64 first = *std::lower_bound(elements.begin(), elements.end(), rows * raster.width);
    raster.bands.push_back(
        band_of(raster, Where::Past, divide_down(first, raster.width), last_hit + 1, limits.lines_outside, footprint));
  }
  for (const RasterBand& band : raster.bands) {
    for (const RasterLine& line : band.lines) {
      for (const RasterCell& cell : line.cells) {
        raster.hit_inside |= cell.inside > 0;
        raster.hit_outside |= cell.outside > 0;
      }
    }
  }
  return raster;
}

}  // namespace ropewalk::reports
