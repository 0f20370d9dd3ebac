// Tiles that a launch cuts a dimension into, and what the last of them has too many where nothing masks it.
#pragma once
#include <string>
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk {

struct Tile {
  i64 size = 0;
  i64 padded = 0;          // the extent, rounded up to whole tiles
  bool of_launch = false;  // it is an extent of the block, or its count of tiles one of the grid; else a power of two
  std::string text;        // "tiles of 4 (blockDim.y)"
};

// Every tile up to 1024 that does not divide `extent`: those of the launch, and powers of two.
std::vector<Tile> tiles_of(i64 extent, const Launch& launch);

// What lanes behind the last of `columns` columns make of it: the columns rounded up to the block's width, or to the
// next power of two.
std::vector<Tile> padded_columns(i64 columns, const Launch& launch);

}  // namespace ropewalk
