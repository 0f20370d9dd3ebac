// Tables whose rows are cells of a grid, in an order that the configuration does not tell: patches of an image or
// video.
#pragma once
#include <vector>

#include "lib/rope/stream.h"

namespace ropewalk::rope {

// Whether rows of tables with these axes are cells of a grid.
bool is_grid(RopeAxes axes);

// Where the rows of a table stand.
enum class Cells : u8 {
  None,          // some row stands at no cell
  Right,         // every row stands at some cell
  Mirrored,      // at cells on the wrong side of 0 on all axes, as with sin negated
  SomeMirrored,  // a few rows do, and their places on the right side are free
  Reversed       // at cells around 0, the last ones first: either that, or sin is negated
};

// A cell is one coordinate for each axis of the formula, by which all columns of the axis are right.
struct GridRows {
  Cells cells = Cells::None;
  std::vector<i64> rows;                    // that were looked at: of long tables not all
  std::vector<std::vector<double>> places;  // [axes][rows]; an axis without columns has none
  bool whole = false;                       // all coordinates are whole numbers
  std::vector<i64> mirrored;                // rows of SomeMirrored
};
GridRows grid_rows(const CacheTable& table, const RopeFormula& formula, Dtype dtype);

}  // namespace ropewalk::rope
