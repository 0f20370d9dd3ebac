// Tables whose rows are cells of a grid, in an order that the configuration does not tell: patches of an image or
// video.
#pragma once
#include "lib/rope/stream.h"

namespace ropewalk {

// Whether rows of tables with these axes are cells of a grid.
bool is_grid(RopeAxes axes);

// Whether every row stands at some cell: one coordinate for each axis of the formula, by which all columns of the axis
// are right. Of long tables rows all over are looked at.
bool stands_on_a_grid(const CacheTable& table, const RopeFormula& formula, Dtype dtype);

}  // namespace ropewalk
