// Positions that a file holds beside its tables, as those of a batch are dumped with their position_ids.
#pragma once
#include "lib/rope/table.h"

namespace ropewalk::rope {

// Where the rows of a table stand by a tensor of integers that is called positions, position_ids, cache_position or the
// like: one position a row, [rows], [1, rows] or, where the tensor of the table has several tables, [tables, rows]; of
// [3, ..] (mrope) where all axes are the same. Without one, from the position_offset of the dump on. Empty: there is
// none, there are several that differ, or one is negative.
PositionRuns given_positions(const Dump& dump, const CacheTable& table);

// The same for rows that are cells, with a position on each of two or three axes: [rows, axes] or [axes, rows], of a
// batch [axes, tables, rows]. Of four axes the first one is the text's, which has no columns.
GivenCells given_cells(const Dump& dump, const CacheTable& table);

}  // namespace ropewalk::rope
