// Tiles that a launch cuts a dimension into, and what the last of them has too many where nothing masks it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/launch/launch.h"

namespace ropewalk::diagnose {

struct Tile {
  i64 size = 0;
  i64 padded = 0;          // the extent, rounded up to whole tiles
  i32 axis = -1;           // of the block whose extent it is: 0 is x; -1: of none
  bool of_launch = false;  // that, or a power of two of which one of the grid's extents is the number of tiles
  std::string text;        // "tiles of 4 (blockDim.y)"
  i64 each = 1;            // of it that a thread takes: the block's extent times this is the size
};

// Whether the finding's thread is one that the last tile of `extent` has too many; nullopt where no thread is known, or
// the tile is not the block's.
std::optional<bool> thread_is_behind(const Finding& finding, const Tile& tile, i64 extent);

// Every tile that does not divide `extent`: those of the block's extents, of whose threads each takes so many, first,
// then powers of two up to 1024.
std::vector<Tile> tiles_of(i64 extent, const Launch& launch, i64 each = 1);

// Whether the launch's blocks may have the tiles of `extent`, one after another along one axis of the grid, of which
// the last is the one that ends past it: those that touch anything there have that tile. A single block, or all of
// them, may go through any number of tiles.
bool are_of_blocks(const Tile& tile, const Finding& finding, const Launch& launch);

// What lanes past the last of `columns` columns make of it: the columns rounded up to the block's width, or to the
// next power of two.
std::vector<Tile> padded_columns(i64 columns, const Launch& launch);

}  // namespace ropewalk::diagnose
