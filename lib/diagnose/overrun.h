// How far accesses run past the end of a tensor, explained by what a tile has too many.
#pragma once
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/tiles.h"
#include "lib/diagnose/touched.h"

namespace ropewalk::diagnose {

// Rows (an index of one dimension but the last) from `extent` on were touched, up to a tile's end or to where the
// tables end. Where the tile is an extent of the block, the finding's thread is one that the last tile has too many.
struct RowOverrun {
  u64 dimension = 0;
  i64 extent = 0;  // of the dimension
  i64 rows = 0;    // touched too many
  i64 stride = 0;  // elements from row to row
  Tile tile;
  bool cut_by_table = false;  // the rows end where cos and sin do
  i64 longest = 0;            // with cu_seqlens: rows of the longest sequence, which the tiles are made for; else 0
};
std::optional<RowOverrun> row_overrun(const LaunchTensor& tensor, const Outside& outside, const Finding& finding,
                                      const Scene& scene);

// Columns past the last were touched, up to where a tile of lanes ends; the thread as for rows.
struct ColumnOverrun {
  i64 lanes = 0;    // that have a column: pairs of columns where `pairs` is true
  i64 columns = 0;  // touched too many
  bool pairs = false;
  Tile tile;
};
std::optional<ColumnOverrun> column_overrun(const LaunchTensor& tensor, const Outside& outside, const Finding& finding,
                                            const Scene& scene);

}  // namespace ropewalk::diagnose
