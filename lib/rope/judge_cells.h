// Rows of a text with images in it, which have a position on each of several axes: judged at those beside the table.
#pragma once
#include <functional>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Where each pair of a row stands: at the cell's position on the axis that the formula gives the pair.
std::function<double(i64, i64)> positions_in(const GivenCells& cells, const RopeFormula& formula);

// Compares a table with a model whose pairs have positions of their own.
StreamVerdict compare_cells(const CacheTable& table, const Model& right, const Rounding& rounding);

// Whether the rows of a table may stand at the cells that its file gives for them: the formula is a text's with as many
// axes, and they are not rows of a whole table that begins at 0.
bool stands_at_cells(const CacheTable& table, const TableTask& task);

}  // namespace ropewalk::rope
