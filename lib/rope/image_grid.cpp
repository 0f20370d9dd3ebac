#include "lib/rope/image_grid.h"

#include <cmath>
#include <numbers>

#include "reference/rope_table.h"

namespace ropewalk::rope {

std::optional<ImageGrid> image_grid_of(const std::string& model_type) {
  if (model_type == "pixtral") return ImageGrid{RopeAxes::VisionInterleaved, CellCount::FromZero};
  if (model_type == "llama4_vision_model") return ImageGrid{RopeAxes::Vision, CellCount::FromOne, true, true};
  if (model_type == "dinov3_vit" || model_type == "eomt_dinov3")
    return ImageGrid{RopeAxes::Vision, CellCount::Centres, false, false, true};
  return std::nullopt;
}

std::vector<ImageGrid> sizes_for(const ImageGrid& grid, i64 rows) {
  std::vector<ImageGrid> sizes;
  const i64 cells = rows - grid.class_row;
  const auto add = [&](i64 height) {
    ImageGrid one = grid;
    one.height = height;
    one.width = cells / height;
    sizes.push_back(one);
  };
  if (cells < 1) return sizes;
  if (!grid.any_size) {
    if (grid.height > 0 && grid.height * grid.width == cells) add(grid.height);
    return sizes;
  }
  // The squarest first.
  for (i64 side = i64(std::sqrt(double(cells))); side > 0; --side) {
    if (cells % side != 0) continue;
    add(side);
    if (side * side != cells) add(cells / side);
  }
  return sizes;
}

double cell_coordinate(CellCount count, i64 cell, i64 cells) {
  switch (count) {
    case CellCount::FromZero:
      return double(cell);
    case CellCount::FromOne:
      return double(cell + 1);
    case CellCount::Centres:
      return 2 * std::numbers::pi * ((2.0 * double(cell) + 1) / double(cells) - 1);
  }
  return 0;
}

std::function<double(i64, i64)> positions_in(const ImageGrid& grid, const RopeFormula& formula,
                                             const CellCoordinate& coordinate) {
  return [=](i64 row, i64 pair) {
    if (row >= grid.height * grid.width) return 0.0;
    const bool by_blocks = formula.axes == RopeAxes::VisionInterleaved;
    const i64 axis = by_blocks ? (pair < formula.pairs() / 2 ? 0 : 1) : reference::rope_axis(formula, pair);
    const bool in_line = (axis == 1) != grid.width_first;
    return in_line ? coordinate(row % grid.width, grid.width) : coordinate(row / grid.width, grid.height);
  };
}

std::function<double(i64, i64)> positions_in(const ImageGrid& grid, const RopeFormula& formula) {
  return positions_in(grid, formula,
                      [count = grid.count](i64 cell, i64 cells) { return cell_coordinate(count, cell, cells); });
}

double coordinate_error(CellCount count) {
  // Of a coordinate between -1 and 1 a quotient and a difference are rounded; 2 pi and the product with it, too.
  return count == CellCount::Centres ? 2 * std::numbers::pi * 6 * 0x1p-24 : 0;
}

}  // namespace ropewalk::rope
