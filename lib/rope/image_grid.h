// Where the rows of an image's table stand in families whose own program settles it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// What the coordinate of cell number k of n on an axis is.
enum class CellCount : u8 {
  FromZero,  // k
  FromOne,   // k + 1
  Centres    // of cells between -1 and 1, times 2 pi: 2 pi ((2 k + 1) / n - 1)
};

// Rows are the cells of an image, line by line.
struct ImageGrid {
  RopeAxes axes = RopeAxes::Vision;
  CellCount count = CellCount::FromZero;
  bool width_first = false;   // the first axis is the place in the line, not the line
  bool class_row = false;     // a last row stands at 0 on both axes
  bool any_size = false;      // the program takes the size from the image, not from the configuration
  i64 height = 0, width = 0;  // in cells; 0: not known

  bool operator==(const ImageGrid&) const = default;
};

// The grid of a model_type's own program, without its size; nullopt: its rows may be any cells.
std::optional<ImageGrid> image_grid_of(const std::string& model_type);

// The same with each size that a table of so many rows may have.
std::vector<ImageGrid> sizes_for(const ImageGrid& grid, i64 rows);

// The coordinate of a cell on an axis.
double cell_coordinate(CellCount count, i64 cell, i64 cells);

// Where each pair of a row stands; coordinate(cell, cells) tells it for one axis. The pairs of VisionInterleaved stand
// axis after axis, as their frequencies do (frequencies_by_axes).
using CellCoordinate = std::function<double(i64, i64)>;
std::function<double(i64, i64)> positions_in(const ImageGrid& grid, const RopeFormula& formula,
                                             const CellCoordinate& coordinate);
std::function<double(i64, i64)> positions_in(const ImageGrid& grid, const RopeFormula& formula);

// How far an honest float32 computation may be from such a coordinate.
double coordinate_error(CellCount count);

}  // namespace ropewalk::rope
